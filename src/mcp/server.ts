/**
 * The MCP server: one per connection, over HTTP one per request, for both protocol eras, all over one gateway. Costly
 * work (opening the gateway, writing the guide) happens once per process; creating a server reads no files.
 */

import { type McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { isRecord } from '../base/json.ts';
import { withTimeout } from '../base/timing.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { LOCAL, type Principal } from '../gateway/policy/principal.ts';
import type { Log } from './errors.ts';
import { type Guide, writeGuide } from './instructions.ts';
import { principalOf } from './principal.ts';
import type { OnIndexing } from './progress.ts';
import type { Answers, ToolCall, ToolContext } from './tool.ts';
import { SEARCH_FIRST, type ToolProfile } from './tools/profile.ts';
import { interceptHandlers, markAnswers, reporting } from './warnings.ts';

/** How long the first client waits for a guide that names the catalog's themes, ms: too short to notice. */
const GUIDE_TIMEOUT_MS = 150;
/** How long a call may take, ms: the first may wait for indexing, and clients give up after 60 s. */
const CALL_TIMEOUT_MS = 45_000;
/** How long a client may cache the lists, ms. They are fixed for a process, except for the resources. */
const LIST_TTL_MS = 300_000;
const RESOURCES_TTL_MS = 60_000;
/** Principals whose guides are cached, a few kilobytes each. */
const CACHED_GUIDES = 1_000;
/** Most object members and list elements in the arguments of a call: a normal call has a dozen. */
const MAX_ARGUMENT_ELEMENTS = 500;

/** `modern` is 2026-07-28, `legacy` any revision before it. */
type Era = McpRequestContext['era'];

export interface FeatureContext {
  readonly era: Era;
  /** The gateway of the server's principal. */
  readonly gateway: () => Promise<Gateway>;
}

/**
 * Adds methods and capabilities to a server before it is connected. If two features handle a method, the one attached
 * last answers it.
 */
export interface ServerFeature {
  attach(server: McpServer, context: FeatureContext): void;
}

export interface ServerOptions {
  /** The gateway of a principal, opened on the first call. Listing the tools never waits for it. */
  readonly gateway: (principal: Principal) => Promise<Gateway>;
  readonly version: string;
  readonly log: Log;
  /** Default: `both`. */
  readonly answers?: Answers;
  /** Default: search-first. */
  readonly profile?: ToolProfile;
  /** Attached in this order; each serves all servers of the process. */
  readonly features?: readonly ServerFeature[];
  /** Steps of indexing runs, for calls that wait for one. */
  readonly onIndexing?: OnIndexing;
  /**
   * Which principals get these steps. They count all skills, so only principals that may see all of them should. Default:
   * the local user.
   */
  readonly seesIndexing?: (principal: Principal) => boolean;
  /** Called after each answered tool call. */
  readonly onToolCall?: (call: ToolCall) => void;
  readonly guideTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/**
 * A server factory for the SDK. A principal's guide is written for its first client, with the themes that it may see if
 * the catalog opens in time. Every later client of that principal gets the same instructions and the same tools.
 */
export function mcpServerFactory(
  options: ServerOptions,
): (context?: Pick<McpRequestContext, 'era' | 'authInfo'>) => Promise<McpServer> {
  const guides = new LRUCache<string, Promise<Guide>>({ max: CACHED_GUIDES });
  return async (context) => {
    const principal = principalOf(context?.authInfo);
    const key = JSON.stringify([principal.id, principal.scopes]);
    const { onIndexing, seesIndexing = isLocal, ...silent } = options;
    const own = seesIndexing(principal) ? options : silent;
    const gateway = () => options.gateway(principal);
    const guide = guides.get(key) ?? guideOf(options, gateway);
    guides.set(key, guide);
    // Without a known era, only the current standard is served.
    return createMcpServer(own, gateway, await guide, context?.era ?? 'modern');
  };
}

const isLocal = ({ id }: Principal) => id === LOCAL.id;

/** One server, not yet connected. */
function createMcpServer(
  options: ServerOptions,
  open: () => Promise<Gateway>,
  guide: Guide,
  era: Era,
): McpServer {
  const { tools } = options.profile ?? SEARCH_FIRST;
  const cacheHint = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;
  const server = new McpServer(
    { name: 'skillgate', title: 'skillgate', version: options.version },
    {
      instructions: guide.instructions,
      cacheHints: {
        'server/discover': cacheHint,
        'tools/list': cacheHint,
        'prompts/list': cacheHint,
        'resources/templates/list': cacheHint,
        'resources/list': { ...cacheHint, ttlMs: RESOURCES_TTL_MS },
      },
      maxToolInputElements: MAX_ARGUMENT_ELEMENTS,
    },
  );
  // Before the first handler: declared in the constructor, this capability would register its handlers there.
  markAnswers(server);
  const prefix = options.profile?.prefix;
  // The list of tools keeps the short names.
  if (prefix !== undefined)
    interceptHandlers(server, (method, [request, ...more], handle) =>
      handle(method === 'tools/call' ? withoutPrefix(request, prefix) : request, ...more),
    );
  server.server.registerCapabilities({ tools: { listChanged: false } });
  const gateway = reporting(open);
  const context: ToolContext = {
    gateway: async () => forModels(await gateway()),
    advice: options.profile?.wording.advice,
    guide,
    log: options.log,
    timeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
    now: options.now ?? (() => performance.now()),
    onIndexing: options.onIndexing,
    onCall: options.onToolCall,
    answers: options.answers ?? 'both',
  };
  for (const tool of tools) tool.register(server, context);
  for (const feature of options.features ?? []) feature.attach(server, { era, gateway });
  return server;
}

/** A guide with the catalog's themes; a general one if the catalog opens late or not at all. Never rejects. */
async function guideOf(options: ServerOptions, gateway: () => Promise<Gateway>): Promise<Guide> {
  const { profile = SEARCH_FIRST, guideTimeoutMs = GUIDE_TIMEOUT_MS } = options;
  // If the gateway fails to open, the first tool call reports it, when the agent can act on it.
  const summary = Promise.resolve()
    .then(gateway)
    .then((open) => open.summary({ atOnce: true }))
    .catch(() => undefined);
  return writeGuide(await withTimeout(summary, guideTimeoutMs, () => undefined), profile.wording);
}

const audience = 'models';

const forModels = (gateway: Gateway): Gateway => ({
  ...gateway,
  search: (request) => gateway.search({ ...request, filter: { ...request.filter, audience } }),
  list: (request) => gateway.list({ ...request, audience }),
});

function withoutPrefix(request: unknown, prefix: string): unknown {
  if (!isRecord(request) || !isRecord(request.params)) return request;
  const { name } = request.params;
  if (typeof name !== 'string' || !name.startsWith(prefix)) return request;
  return { ...request, params: { ...request.params, name: name.slice(prefix.length) } };
}
