/**
 * The MCP server: one per connection, over HTTP one per request, for both protocol eras, all over one gateway. Costly
 * work (opening the gateway, writing the guide) happens once per process; creating a server reads no files.
 */

import { type McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { isRecord } from '../base/json.ts';
import { withTimeout } from '../base/timing.ts';
import type { CatalogSummary, Gateway } from '../gateway/gateway.ts';
import { LOCAL, type Principal } from '../gateway/policy/principal.ts';
import { clientReader, textForTextClients, withinLimit } from './clients.ts';
import type { Log, OpenFor } from './errors.ts';
import { type Guide, writeGuide } from './instructions.ts';
import { toPrincipal } from './principal.ts';
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
  /** The gateway of the server's principal, for a request. */
  readonly gateway: OpenFor<Gateway>;
  /** The same gateway for a listener, who does not make it open (`ServerOptions.opening`). */
  readonly opened: () => Promise<Gateway>;
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
  readonly answers?: Answers | 'auto';
  /** Longest answer with the text of a skill, characters. Default: by the client. */
  readonly maxCharacters?: number | undefined;
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
  /** Resolves when the catalog begins to be opened. Default: it is open. */
  readonly opening?: Promise<void> | undefined;
  /**
   * What is known of the catalog before it is opened, null for nothing: the guide is written from that alone. Default: the guide
   * waits for the catalog, for `guideTimeoutMs`.
   */
  readonly known?: CatalogSummary | null | undefined;
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
    const principal = toPrincipal(context?.authInfo);
    const key = JSON.stringify([principal.id, principal.scopes]);
    const { onIndexing, seesIndexing = isLocal, ...silent } = options;
    const own = seesIndexing(principal) ? options : silent;
    const gateway = () => options.gateway(principal);
    const guide = guides.get(key) ?? openGuide(options, gateway);
    guides.set(key, guide);
    // Without a known era, only the current standard is served.
    return createMcpServer(own, gateway, await guide, context?.era ?? 'modern');
  };
}

const isLocal = ({ id }: Principal) => id === LOCAL.id;

/** A server without handlers. */
function bareServer(version: string, { instructions }: Guide): McpServer {
  const cacheHint = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;
  return new McpServer(
    { name: 'skillgate', title: 'skillgate', version },
    {
      instructions,
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
}

/** One server, not yet connected. */
function createMcpServer(
  options: ServerOptions,
  open: () => Promise<Gateway>,
  guide: Guide,
  era: Era,
): McpServer {
  const { tools } = options.profile ?? SEARCH_FIRST;
  const server = bareServer(options.version, guide);
  // Before the first handler: declared in the constructor, this capability would register its handlers there.
  markAnswers(server);
  const { answers = 'both', maxCharacters } = options;
  const client = clientReader(server);
  if (answers === 'auto') textForTextClients(server, client);
  const prefix = options.profile?.prefix;
  // The list of tools keeps the short names.
  if (prefix !== undefined)
    interceptHandlers(server, (method, [request, ...more], handle) =>
      handle(method === 'tools/call' ? withoutPrefix(request, prefix) : request, ...more),
    );
  server.server.registerCapabilities({ tools: { listChanged: false } });
  const gateway = reporting(open);
  const context: ToolContext = {
    gateway: async (request) => {
      // Loaded by the first call: a server lists its tools without it.
      const { modelGateway } = await import('../gateway/pipeline.ts');
      return withinLimit(modelGateway(await gateway(request)), maxCharacters ?? client()?.maxCharacters);
    },
    advice: options.profile?.wording.advice,
    guide,
    log: options.log,
    timeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
    now: options.now ?? (() => performance.now()),
    onIndexing: options.onIndexing,
    onCall: options.onToolCall,
    answers: answers === 'text' ? 'text' : 'both',
  };
  for (const tool of tools) tool.register(server, context);
  const opened = () => (options.opening ?? Promise.resolve()).then(() => gateway(null));
  for (const feature of options.features ?? []) feature.attach(server, { era, gateway, opened });
  return server;
}

/** A guide with the catalog's themes; a general one if the catalog opens late or not at all. Never rejects. */
async function openGuide(options: ServerOptions, gateway: () => Promise<Gateway>): Promise<Guide> {
  const { profile = SEARCH_FIRST, guideTimeoutMs = GUIDE_TIMEOUT_MS, known } = options;
  if (known !== undefined) return writeGuide(known ?? undefined, profile.wording);
  // If the gateway fails to open, the first tool call reports it, when the agent can act on it.
  const summary = Promise.resolve()
    .then(gateway)
    .then((open) => open.summary({ atOnce: true }))
    .catch(() => undefined);
  return writeGuide(await withTimeout(summary, guideTimeoutMs, () => undefined), profile.wording);
}

function withoutPrefix(request: unknown, prefix: string): unknown {
  if (!isRecord(request) || !isRecord(request.params)) return request;
  const { name } = request.params;
  if (typeof name !== 'string' || !name.startsWith(prefix)) return request;
  return { ...request, params: { ...request.params, name: name.slice(prefix.length) } };
}
