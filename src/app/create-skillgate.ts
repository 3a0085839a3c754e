/** The programming interface: opens a catalog with the defaults of the command line, and asks it as a client would. */

import type { McpServerFactory, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Gateway } from '../gateway/gateway.ts';
import { catalogPipeline } from '../gateway/pipeline.ts';
import { compilePolicy } from '../gateway/policy/policy.ts';
import { LOCAL } from '../gateway/policy/principal.ts';
import {
  AGENT_FORMATS,
  agentTools,
  callAgentTool,
  programCalls,
  type ToolCallResult,
  type ToolsByFormat,
} from '../mcp/agent-tools.ts';
import { mcpServerFactory } from '../mcp/server.ts';
import type { ListOptions, ListResult } from '../mcp/tools/list-skills.ts';
import type { LoadOptions, LoadResult } from '../mcp/tools/load-skill.ts';
import { SEARCH_FIRST } from '../mcp/tools/profile.ts';
import type { ReadOptions, ReadResult } from '../mcp/tools/read-reference.ts';
import type { SearchOptions, SearchResult } from '../mcp/tools/search-result.ts';
import type { RequestHandler, RequestHandlerOptions } from '../serve/http.ts';
import { AppError } from './app-error.ts';
import type { OpenSources } from './catalog.ts';
import { processEnvironment } from './configured.ts';
import type { ExtensionEntry, Opening } from './extension-api.ts';
import { followSources } from './freshness.ts';
import { fromExtension } from './load-extensions.ts';
import { missingNote } from './missing-note.ts';
import { openLibrary } from './open-library.ts';
import { fetchFor, openSources } from './open-sources.ts';
import { packageVersion } from './package-root.ts';
import { serverFeatures } from './server-tools.ts';
import { readSettings, type Settings } from './settings.ts';
import { requireNamedFolders } from './source-settings.ts';

export interface SkillgateOptions {
  /** Folders with skills. Default: the configured sources, else the folders that agents use. */
  readonly skills?: string | readonly string[];
  /** Folder of the index. Default: in the user cache, one per set of folders. */
  readonly index?: string;
  /** A transformers.js model id or folder. Default: the shipped model. */
  readonly embedder?: string;
  /** How vectors are searched. Default `auto`. */
  readonly vectors?: 'auto' | 'exact' | 'hnsw';
  /** A configuration file. Default: the nearest one at or above `cwd`. */
  readonly config?: string;
  /** Where relative paths start, and where the project is looked for. Default: the working directory. */
  readonly cwd?: string;
  /** Notable events, one line each. Default: nothing is logged. */
  readonly log?: (message: string) => void;
}

/** An MCP server for one connection. */
export interface McpServerHandle {
  /** Serves a client at this transport of the MCP SDK, in both protocol eras. */
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
}

/** An open catalog of skills. Its methods reject with an `Error` that has a documented `code`. */
export interface Skillgate {
  /** Finds the skills for a task; an empty query browses. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** The instructions of a skill, by id, URI or name. */
  load(skill: string, options?: LoadOptions): Promise<LoadResult>;
  /** A file of a skill, whole or in part. */
  read(skill: string, path: string, options?: ReadOptions): Promise<ReadResult>;
  /** All skills by id, page by page. */
  list(options?: ListOptions): Promise<ListResult>;
  /** The tools of the MCP server, for a model that is called directly. */
  tools<Format extends keyof ToolsByFormat>(format: Format): Promise<ToolsByFormat[Format]>;
  /** Calls one of these tools with the model's arguments, which may be JSON text. Wrong ones give a result that says so. */
  call(tool: string, args: unknown): Promise<ToolCallResult>;
  createMcpServer(): McpServerHandle;
  createRequestHandler(options?: RequestHandlerOptions): RequestHandler;
  /** Closes all files and threads; later calls reject with `CLOSED`. */
  close(): Promise<void>;
  /** `await using skillgate = await createSkillgate()` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** `createSkillgate` of the package, with the extensions of the program. */
export async function createSkillgate(
  options: SkillgateOptions,
  extensions: readonly ExtensionEntry[],
): Promise<Skillgate> {
  const { log = () => {} } = options;
  const settings = await settingsFor(options, extensions);
  for (const notice of settings.notices) log(notice);
  return new OpenSkillgate(await openOwnOrShared(settings, log), settings, log);
}

async function openOwnOrShared(settings: Settings, log: (message: string) => void): Promise<Opening> {
  const shared = await fromExtension('shared', settings);
  return shared === undefined ? openOwn(settings, log) : shared.reader(settings, processEnvironment(), log);
}

async function openOwn(settings: Settings, log: (message: string) => void): Promise<Opening> {
  const policy = compilePolicy(settings.config.policy);
  const sources = await openSources(settings, processEnvironment());
  const opened = open(settings, sources, log);
  const following = opened.then((library) => followSources(sources, library, log, () => {}));
  const gateways = opened.then((library) =>
    catalogPipeline({ library, learning: library.learning, policy, note: missingNote(settings) }),
  );
  // A failure surfaces with the first call; until then it must not end the process.
  for (const promise of [opened, following, gateways]) promise.catch(() => {});
  return {
    gatewayOf: async (principal) => (await gateways)(principal),
    async close() {
      await (await following.catch(() => null))?.();
      await (await opened.catch(() => null))?.close();
      await sources.close();
    },
  };
}

async function settingsFor(
  options: SkillgateOptions,
  extensions: readonly ExtensionEntry[],
): Promise<Settings> {
  const { skills, index, embedder, vectors, config, cwd } = options;
  const environment = processEnvironment();
  const settings = await readSettings(
    { skills: typeof skills === 'string' ? [skills] : skills, index, embedder, vectors, config, extensions },
    cwd === undefined ? environment : { ...environment, cwd },
  );
  // A shared catalog is read from its store.
  if (settings.config.store === undefined) requireNamedFolders(settings);
  return settings;
}

async function open(settings: Settings, sources: OpenSources, log: (message: string) => void) {
  await fetchFor('missing', sources, settings, { now: Date.now, log });
  const library = await openLibrary(settings, {
    log,
    sources: sources.all,
    inBackground: true,
    orWordsOnly: true,
  });
  await library.current();
  return library;
}

/** A catalog with its open servers and handlers, which end with it. */
class OpenSkillgate implements Skillgate {
  readonly #opening: Opening;
  readonly #settings: Settings;
  readonly #log: (message: string) => void;
  /** Closes what was made of this catalog. */
  readonly #closing: (() => Promise<void>)[] = [];
  #isClosed = false;

  constructor(opening: Opening, settings: Settings, log: (message: string) => void) {
    this.#opening = opening;
    this.#settings = settings;
    this.#log = log;
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    return programCalls.search({ ...options, query }, await this.#gateway());
  }

  async load(skill: string, options: LoadOptions = {}): Promise<LoadResult> {
    return programCalls.load({ ...options, skill }, await this.#gateway());
  }

  async read(skill: string, path: string, options: ReadOptions = {}): Promise<ReadResult> {
    return programCalls.read({ ...options, skill, path }, await this.#gateway());
  }

  async list(options: ListOptions = {}): Promise<ListResult> {
    return programCalls.list(options, await this.#gateway());
  }

  async tools<Format extends keyof ToolsByFormat>(format: Format): Promise<ToolsByFormat[Format]> {
    const form = AGENT_FORMATS[format];
    if (form === undefined) throw unknownFormat(format);
    // The type of a member that is chosen by a type parameter cannot be followed.
    return form(await agentTools(await this.#gateway(), this.#log)) as never;
  }

  async call(tool: string, args: unknown): Promise<ToolCallResult> {
    return callAgentTool(tool, args, await this.#gateway(), this.#log);
  }

  createMcpServer(): McpServerHandle {
    const log = this.#log;
    const factory = this.#factory();
    let handle: { close(): Promise<void> } | undefined;
    const close = async () => handle?.close();
    this.#closing.push(close);
    return {
      async connect(transport) {
        if (handle !== undefined) throw new AppError('SETTING_INVALID', ONE_CONNECTION);
        handle = serveStdio(factory, {
          transport: asTransport(transport),
          onerror: ({ message }) => log(message),
        });
      },
      close,
    };
  }

  createRequestHandler(options: RequestHandlerOptions = {}): RequestHandler {
    const handler = openHandler(this.#factory(), options, this.#settings);
    const close = async () => (await handler).close();
    this.#closing.push(close);
    return {
      fetch: async (request) => (await handler).fetch(request),
      node: async (request, response, parsedBody) => (await handler).node(request, response, parsedBody),
      close,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#closing.map((close) => close()));
    await this.#opening.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #gateway(): Promise<Gateway> {
    if (this.#isClosed)
      throw new AppError('CLOSED', 'This catalog was closed: open another with createSkillgate().');
    return this.#opening.gatewayOf(LOCAL);
  }

  #factory(): McpServerFactory {
    const log = this.#log;
    const features = { profile: SEARCH_FIRST, drafts: true, extensions: this.#settings.extensions, log };
    return mcpServerFactory({
      profile: SEARCH_FIRST,
      gateway: this.#opening.gatewayOf,
      version: packageVersion(),
      log,
      features: serverFeatures(features),
    });
  }
}

const ONE_CONNECTION = 'This MCP server is connected: createMcpServer() makes one for each connection.';

const unknownFormat = (format: string) =>
  new AppError(
    'SETTING_INVALID',
    `There is no tool format "${format}": use one of ${Object.keys(AGENT_FORMATS).join(', ')}.`,
  );

/** The SDK's transports, of any of its versions. */
function asTransport(value: object): Transport {
  if ('start' in value && 'send' in value && 'close' in value) return value as Transport;
  throw new AppError('SETTING_INVALID', 'connect() takes a transport of the MCP SDK: start, send and close.');
}

/** Only programs that serve HTTP load its code. */
async function openHandler(
  factory: McpServerFactory,
  options: RequestHandlerOptions,
  settings: Settings,
): Promise<RequestHandler> {
  const http = await fromExtension('http', settings);
  if (http === undefined) throw new AppError('SETTING_INVALID', 'This program has no HTTP.');
  return http.handler(factory, options);
}
