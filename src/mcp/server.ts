/**
 * The MCP server: one per connection, over HTTP one per request, for both protocol eras, all over one gateway. What
 * is costly (opening the gateway, the texts of the guide) happens once a process; making a server costs no reading.
 */

import { type McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import type { Gateway } from '../gateway/gateway.ts';
import { LOCAL, type Principal } from '../gateway/principal.ts';
import { type Guide, writeGuide } from './instructions.ts';
import type { Log } from './log.ts';
import { principalOf } from './principal.ts';
import type { OnIndexing } from './progress.ts';
import type { ToolCall, ToolContext } from './tool.ts';
import type { ToolProfile } from './tools/profile.ts';
import { SEARCH_FIRST } from './tools/search-first.ts';

/** How long the first client waits for texts that name the catalog's themes, ms: less than anybody notices. */
const GUIDE_PATIENCE_MS = 150;
/** How long a call may take, ms: the first one may wait for an index to be made, and clients give up after 60 s. */
const CALL_PATIENCE_MS = 45_000;
/** How long a client may keep the lists, ms. They change with the process alone, but for the resources. */
const LIST_TTL_MS = 300_000;
const RESOURCES_TTL_MS = 60_000;
/** Principals whose guides are kept, a few kilobytes each. */
const KEPT_GUIDES = 1_000;
/** Most members and elements in the arguments of a call, all together: an honest call has a dozen. */
const MAX_ARGUMENT_ELEMENTS = 500;

/** `modern` is 2026-07-28, `legacy` any revision before it. */
export type Era = McpRequestContext['era'];

export interface ExtensionContext {
  readonly era: Era;
  /** The gateway that answers the server's one principal. */
  readonly gateway: () => Promise<Gateway>;
}

/**
 * A dialect beside the tools: adds its methods and capabilities to a server that is not yet connected. Where two
 * know a method, the one attached last answers it.
 */
export interface Extension {
  attach(server: McpServer, context: ExtensionContext): void;
}

export interface ServerOptions {
  /** Opens the gateway of a principal, or gives the one that is open. Listing the tools never waits for it. */
  readonly gateway: (principal: Principal) => Promise<Gateway>;
  readonly version: string;
  /** Writes one line for the operator; never to the client. */
  readonly log: Log;
  /** Default: search-first. */
  readonly profile?: ToolProfile;
  /** What is served beside the tools, attached in this order; each is one for all servers. */
  readonly extensions?: readonly Extension[];
  /** Steps of indexing runs, for calls that wait for one. */
  readonly onIndexing?: OnIndexing;
  /**
   * Who is told of those steps: they count all skills, so only those who may see all of them. Default: the person at this
   * machine.
   */
  readonly hearsIndexing?: (principal: Principal) => boolean;
  /** Told of each call of a tool once it has been answered. */
  readonly onToolCall?: (call: ToolCall) => void;
  readonly guidePatienceMs?: number;
  readonly callPatienceMs?: number;
}

/**
 * A factory for the SDK's serving entries. A principal's guide is settled by its first client, named after what it may
 * see if the catalog opens in time; from then on every client of that principal gets the same instructions and the same
 * tools.
 */
export function mcpServerFactory(
  options: ServerOptions,
): (context?: Pick<McpRequestContext, 'era' | 'authInfo'>) => Promise<McpServer> {
  const guides = new Map<string, Promise<Guide>>();
  return async (context) => {
    const principal = principalOf(context?.authInfo);
    const key = JSON.stringify([principal.id, principal.scopes]);
    const { onIndexing, hearsIndexing = isLocal, ...silent } = options;
    const own = hearsIndexing(principal) ? options : silent;
    const gateway = () => options.gateway(principal);
    const guide = guides.get(key) ?? guideOf(options, gateway);
    guides.delete(key);
    guides.set(key, guide);
    const [oldest] = guides.keys();
    if (guides.size > KEPT_GUIDES && oldest !== undefined) guides.delete(oldest);
    // Where nobody says which era it is, nothing but the standard is served.
    return createMcpServer(own, gateway, await guide, context?.era ?? 'modern');
  };
}

const isLocal = ({ id }: Principal) => id === LOCAL.id;

/** One server, not yet connected. */
function createMcpServer(
  options: ServerOptions,
  gateway: () => Promise<Gateway>,
  guide: Guide,
  era: Era,
): McpServer {
  const { tools } = options.profile ?? SEARCH_FIRST;
  const cacheHint = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;
  const server = new McpServer(
    { name: 'skillgate', title: 'skillgate', version: options.version },
    {
      capabilities: { tools: { listChanged: false } },
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
  const context: ToolContext = {
    gateway,
    guide,
    log: options.log,
    patienceMs: options.callPatienceMs ?? CALL_PATIENCE_MS,
    onIndexing: options.onIndexing,
    onCall: options.onToolCall,
  };
  for (const tool of tools) tool.register(server, context);
  for (const extension of options.extensions ?? []) extension.attach(server, { era, gateway });
  return server;
}

/** Texts that name the catalog's themes; general ones where the catalog is late or does not open. Never rejects. */
async function guideOf(options: ServerOptions, gateway: () => Promise<Gateway>): Promise<Guide> {
  const { profile = SEARCH_FIRST, guidePatienceMs = GUIDE_PATIENCE_MS } = options;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), guidePatienceMs);
  });
  // A failure to open is told by the first call of a tool, where it can be acted on.
  const summary = Promise.resolve()
    .then(gateway)
    .then((open) => open.summary())
    .catch(() => undefined);
  try {
    return writeGuide(await Promise.race([summary, late]), profile.wording);
  } finally {
    clearTimeout(timer);
  }
}
