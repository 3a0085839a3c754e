/**
 * The tools of other servers: which of them a skill names, and whether somebody may call one. Who may is the policy's
 * to say; what a server offers and how it is asked is in `peers/`. Nothing that a server says is followed here.
 */

import { PeerError } from '../../peers/peer-error.ts';
import type { PeerCall, PeerTool, PeerTools } from '../../peers/tools.ts';
import {
  GatewayError,
  type SkillTools,
  type ToolOutcome,
  type ToolRequest,
  type UpstreamTool,
} from '../gateway.ts';
import type { Principal } from '../principal.ts';
import { type LoadedEntry, LoadedSkills } from './loaded.ts';
import { isServer, type WantedTool, wantedTools } from './names.ts';

/** How long a skill waits for the lists of servers that are slow to say what they have, ms. */
const PATIENCE_MS = 2_000;
/** Most tools given with one skill: `mcp__server__*` may mean hundreds. */
const MOST_TOOLS = 50;
/** Longest data of a server's own error that is passed on, characters as JSON. */
const ERROR_DATA = 16_384;

export type Gate = 'off' | 'loaded' | 'all';

/** A source whose server offers tools that may be called. */
export interface Upstream {
  readonly name: string;
  readonly tools: Pick<PeerTools, 'list' | 'call'>;
}

export interface ToolboxOptions {
  readonly upstreams: readonly Upstream[];
  readonly gate: Gate;
  /** Longest call, ms. */
  readonly timeoutMs: number;
  /** Longest result, bytes as JSON. */
  readonly maxResultBytes: number;
  /** What the policy says; whoever may not call a tool is not told of it either. */
  readonly mayUse: (principal: Principal, server: string, tool: string) => boolean;
  /** Milliseconds, of a clock that only goes forward. */
  readonly now: () => number;
}

export class Toolbox {
  readonly #options: ToolboxOptions;
  readonly #loaded: LoadedSkills;

  constructor(options: ToolboxOptions) {
    this.#options = options;
    this.#loaded = new LoadedSkills(options.now);
  }

  /** Called for each skill that is loaded: its tools may be called from now on, and these are they. */
  async load(entry: LoadedEntry, principal: Principal): Promise<SkillTools | undefined> {
    const wanted = wantedTools(entry);
    if (wanted.length === 0 || this.#options.upstreams.length === 0) return undefined;
    this.#loaded.remember(principal, entry);
    const lists = await Promise.all(this.#options.upstreams.map(listOf));
    const may = (server: string, tool: string) => this.#options.mayUse(principal, server, tool);
    const tools = new Map<string, UpstreamTool>();
    for (const each of wanted)
      for (const { name, list } of holders(each, entry, lists))
        for (const tool of list ?? [])
          if (matches(each, tool.name) && may(name, tool.name))
            tools.set(`${name}/${tool.name}`, toolOf(name, tool));
    const unavailable = lists
      .filter(
        ({ name, list }) =>
          list === null && wanted.some((each) => isMeant(each, name, entry) && may(name, each.tool)),
      )
      .map(({ name }) => name);
    if (tools.size === 0 && unavailable.length === 0) return undefined;
    return {
      callable: this.#options.gate !== 'off',
      tools: [...tools.values()].slice(0, MOST_TOOLS),
      unlisted: Math.max(0, tools.size - MOST_TOOLS),
      unavailable,
    };
  }

  /** Throws `TOOL_REFUSED`, `UPSTREAM_FAILED` or `TOOL_RESULT_TOO_LARGE`; rejects with the signal's reason. */
  async use(request: ToolRequest, principal: Principal): Promise<ToolOutcome> {
    const { server, tool } = request;
    const upstream = this.#options.upstreams.find(({ name }) => name === server);
    // One answer for what is not there and for what may not be called.
    if (upstream === undefined || !(await this.#mayCall(request, principal)))
      throw new GatewayError('TOOL_REFUSED', this.#refusal(server, tool), { server, tool });
    const { timeoutMs } = this.#options;
    const call: PeerCall = {
      name: tool,
      arguments: request.arguments,
      timeoutMs,
      signal: request.signal,
      onProgress: request.onProgress,
    };
    const result = await upstream.tools.call(call).catch((error: unknown) => {
      throw error instanceof PeerError ? failed(server, tool, error, timeoutMs) : error;
    });
    return this.#bounded(server, tool, result);
  }

  async #mayCall({ server, tool }: ToolRequest, principal: Principal): Promise<boolean> {
    const { gate, mayUse, upstreams } = this.#options;
    if (gate === 'off' || !mayUse(principal, server, tool)) return false;
    if (gate === 'all') return true;
    for (const entry of this.#loaded.of(principal)) {
      const named = wantedTools(entry).filter((each) => matches(each, tool));
      if (named.some((each) => each.server !== null && isServer(each.server, server))) return true;
      if (!named.some((each) => each.server === null)) continue;
      // What the skill's own server has is what its author meant; else it is whoever has it.
      const own = server === entry.source ? undefined : upstreams.find(({ name }) => name === entry.source);
      const list = own === undefined ? null : (await listOf(own)).list;
      if (!list?.some(({ name }) => name === tool)) return true;
    }
    return false;
  }

  #refusal(server: string, tool: string): string {
    const named = `${JSON.stringify(server)} ${JSON.stringify(tool)}`;
    return this.#options.gate === 'all'
      ? `There is no server and tool ${named} that may be called here.`
      : `No skill that was loaded here names the server and tool ${named}, or it may not be called.`;
  }

  #bounded(server: string, tool: string, result: ToolOutcome): ToolOutcome {
    const size = Buffer.byteLength(JSON.stringify(result));
    const limit = this.#options.maxResultBytes;
    if (size <= limit) return result;
    const message = `The result of ${JSON.stringify(tool)} has ${size} bytes, and ${limit} are passed on. The call was carried out.`;
    throw new GatewayError('TOOL_RESULT_TOO_LARGE', message, { server, tool, size, limit });
  }
}

interface Listed {
  readonly name: string;
  /** Null where the server does not say in time. */
  readonly list: readonly PeerTool[] | null;
}

async function listOf({ name, tools }: Upstream): Promise<Listed> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  const list = await Promise.race([tools.list().catch(() => null), late]);
  clearTimeout(timer);
  return { name, list };
}

/** The servers that a name may mean: the one that it says, the skill's own where it has the tool, else all. */
function holders(wanted: WantedTool, { source }: LoadedEntry, lists: readonly Listed[]): readonly Listed[] {
  const { server } = wanted;
  if (server !== null) return lists.filter(({ name }) => isServer(server, name));
  const own = lists.find(({ name }) => name === source);
  return own?.list?.some(({ name }) => matches(wanted, name)) ? [own] : lists;
}

const isMeant = ({ server }: WantedTool, name: string, { source }: LoadedEntry) =>
  server === null ? name === source : isServer(server, name);

const matches = ({ tool }: WantedTool, name: string) => tool === name || tool === '*';

function toolOf(
  server: string,
  { name, title, description, inputSchema, annotations }: PeerTool,
): UpstreamTool {
  return {
    server,
    tool: name,
    ...(title !== undefined && { title }),
    description: description ?? '',
    inputSchema,
    ...(annotations !== undefined && { annotations }),
  };
}

/** The server's own error whole, beside a sentence that says whether the call may have been carried out. */
function failed(
  server: string,
  tool: string,
  { code, message, data }: PeerError,
  timeoutMs: number,
): GatewayError {
  const doubt = 'Whether the call was carried out is not known';
  const told: Record<PeerError['code'], string> = {
    PEER_REFUSED: message,
    PEER_UNREACHABLE: `The server cannot be reached, nothing was called: ${message}`,
    PEER_FORGOT: `The server was started again, nothing was called: ${message}`,
    PEER_GONE: `The connection ended before the answer came. ${doubt}.`,
    PEER_SLOW: `There was no answer within ${timeoutMs} ms. ${doubt}.`,
    PEER_FLOOD: `${message} ${doubt}.`,
    PEER_ANSWER: `The answer is not what the protocol says: ${message} ${doubt}.`,
  };
  const small = data.data === undefined || JSON.stringify(data.data).length <= ERROR_DATA;
  const upstream = { code: data.code, message: data.message, ...(small && { data: data.data }) };
  return new GatewayError('UPSTREAM_FAILED', `${server}: ${told[code]}`, {
    server,
    tool,
    reason: code,
    ...(code === 'PEER_REFUSED' && { upstream }),
  });
}
