/** The programming interface: opens a catalog with the defaults of the command line, and asks it as a client would. */

import { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServerFactory, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { catalogPipeline } from '../gateway/pipeline.ts';
import { LOCAL, type Principal } from '../gateway/policy/principal.ts';
import { AGENT_FORMATS } from '../mcp/agent-formats.ts';
import { agentTools, callAgentTool, programCalls } from '../mcp/agent-tools.ts';
import { serverFeatures } from '../mcp/features.ts';
import type { RequestHandlerOptions, Skillgate, SkillgateOptions, ToolFormat } from '../mcp/library-types.ts';
import { mcpServerFactory } from '../mcp/server.ts';
import { SEARCH_FIRST } from '../mcp/tools/search-first.ts';
import type { WebHandler } from '../serve/http/web-handler.ts';
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
import { olderFeatures } from './server-tools.ts';
import { type Settings, settingsOf } from './settings.ts';
import { requireNamedFolders } from './source-settings.ts';

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
      features: serverFeatures({
        profile: SEARCH_FIRST,
        log,
        more: (publisher) => olderFeatures(publisher, SEARCH_FIRST, undefined, log),
      }),
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
        async node(request, response, parsedBody) {
          if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse))
            throw new AppError('SETTING_INVALID', NODE_OBJECTS);
          await (await handler).node(request, response, parsedBody);
        },
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
const NODE_OBJECTS =
  "node() takes Node's own request and response. In Fastify these are request.raw and reply.raw.";

const unknownFormat = (format: ToolFormat) =>
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
async function openHandler(factory: McpServerFactory, options: RequestHandlerOptions): Promise<WebHandler> {
  const { webHandler } = await import('../serve/http/web-handler.ts');
  return webHandler(factory, handlerOptions(options));
}

const handlerOptions = ({ callerOf, allowedOrigins = [] }: RequestHandlerOptions) => ({
  allowedOrigins,
  principalOf:
    callerOf &&
    (async (request: Request): Promise<Principal | null> => {
      const caller = await callerOf(request);
      return caller && { id: caller.id, scopes: caller.scopes ?? [] };
    }),
});
