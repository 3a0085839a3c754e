/** The programming interface: opens a catalog with the defaults of the command line, and asks it as a client would. */

import type { McpServerFactory, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { catalogPipeline } from '../gateway/pipeline.ts';
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
import type { RequestHandler, RequestHandlerOptions } from '../serve/http/web-handler.ts';
import { AppError } from './app-error.ts';
import type { OpenSources } from './catalog.ts';
import { processEnvironment } from './configured.ts';
import type { Opening } from './extension.ts';
import { followSources } from './freshness.ts';
import { wanted } from './load-extensions.ts';
import { missingNote } from './open-catalog.ts';
import { openLibrary } from './open-library.ts';
import { policyOf } from './open-policy.ts';
import { fetchFor, openSources } from './open-sources.ts';
import { packageVersion } from './package-root.ts';
import { serverFeatures } from './server-tools.ts';
import { type Settings, settingsOf } from './settings.ts';
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
  /** Closes all files and threads. */
  close(): Promise<void>;
}

/**
 * Rejects where a setting is wrong or a named folder does not exist. The index is opened, and made where there is none,
 * while the program goes on: the first call waits for it.
 *
 * @example
 * const skillgate = await createSkillgate({ skills: './skills' });
 * const { hits } = await skillgate.search('our mails land in the junk folder');
 * const [best] = hits;
 * if (best !== undefined) console.log((await skillgate.load(best.id)).instructions);
 * await skillgate.close();
 */
export async function createSkillgate(options: SkillgateOptions = {}): Promise<Skillgate> {
  const { log = () => {} } = options;
  const settings = await settingsFor(options);
  for (const notice of settings.notices) log(notice);
  return skillgateOver(await openOwnOrShared(settings, log), log);
}

async function openOwnOrShared(settings: Settings, log: (message: string) => void): Promise<Opening> {
  const shared = await wanted('shared', settings.config);
  return shared === undefined ? openOwn(settings, log) : shared.reader(settings, processEnvironment(), log);
}

async function openOwn(settings: Settings, log: (message: string) => void): Promise<Opening> {
  const policy = policyOf(settings.config);
  const sources = await openSources(settings, processEnvironment());
  const opened = open(settings, sources, log);
  const following = opened.then((library) => followSources(sources, library, log, () => {}));
  const gateways = opened.then((library) =>
    catalogPipeline({ library, policy, note: missingNote(settings) }),
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

async function settingsFor(options: SkillgateOptions): Promise<Settings> {
  const { skills, index, embedder, vectors, config, cwd } = options;
  const environment = processEnvironment();
  const settings = await settingsOf(
    { skills: typeof skills === 'string' ? [skills] : skills, index, embedder, vectors, config },
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

function skillgateOver(
  { gatewayOf, close: closeCatalog }: Opening,
  log: (message: string) => void,
): Skillgate {
  const own = () => gatewayOf(LOCAL);
  const closing: (() => Promise<void>)[] = [];
  const factory = () =>
    mcpServerFactory({
      profile: SEARCH_FIRST,
      gateway: gatewayOf,
      version: packageVersion(),
      log,
      features: serverFeatures({ profile: SEARCH_FIRST, drafts: true, log }),
    });
  return {
    search: async (query, options = {}) => programCalls.search({ ...options, query }, await own()),
    load: async (skill, options = {}) => programCalls.load({ ...options, skill }, await own()),
    read: async (skill, path, options = {}) => programCalls.read({ ...options, skill, path }, await own()),
    list: async (options = {}) => programCalls.list(options, await own()),

    async tools(format) {
      const form = AGENT_FORMATS[format];
      if (form === undefined) throw unknownFormat(format);
      // The type of a member that is chosen by a type parameter cannot be followed.
      return form(await agentTools(await own(), log)) as never;
    },

    call: async (tool, args) => callAgentTool(tool, args, await own(), log),

    createMcpServer() {
      let handle: { close(): Promise<void> } | undefined;
      const close = async () => handle?.close();
      closing.push(close);
      return {
        async connect(transport) {
          if (handle !== undefined) throw new AppError('SETTING_INVALID', ONE_CONNECTION);
          handle = serveStdio(factory(), {
            transport: asTransport(transport),
            onerror: ({ message }) => log(message),
          });
        },
        close,
      };
    },

    createRequestHandler(options = {}) {
      const handler = openHandler(factory(), options);
      const close = async () => (await handler).close();
      closing.push(close);
      return {
        fetch: async (request) => (await handler).fetch(request),
        node: async (request, response, parsedBody) => (await handler).node(request, response, parsedBody),
        close,
      };
    },

    async close() {
      await Promise.allSettled(closing.map((close) => close()));
      await closeCatalog();
    },
  };
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
): Promise<RequestHandler> {
  const { webHandler } = await import('../serve/http/web-handler.ts');
  return webHandler(factory, options);
}
