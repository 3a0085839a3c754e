/**
 * The tools of other MCP servers: which of them a skill names, and whether a principal may call one. The policy decides
 * who may; the source knows the server. Text from a server is data and is never followed.
 */

import { withTimeout } from '../../base/timing.ts';
import {
  type ListedTool,
  type UpstreamCall,
  UpstreamError,
  type UpstreamTools,
} from '../../sources/upstream.ts';
import type { LoadedSkill, ToolOutcome, ToolRequest, UpstreamTool } from '../gateway.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Principal } from '../policy/principal.ts';
import { type LoadedEntry, LoadedSkills } from './loaded.ts';
import { isServer, mcpNames, type WantedTool, wantedTools } from './names.ts';

/** Longest wait for the servers' tool lists while a skill is loaded, ms. */
const LIST_TIMEOUT_MS = 2_000;
/** Most tools listed with one skill: `mcp__server__*` may match hundreds. */
const MAX_TOOLS = 50;
/** Longest `data` of a server's error that is passed on, characters of JSON. */
const MAX_ERROR_DATA = 16_384;

export type Gate = 'off' | 'loaded' | 'all';

/** A source whose server offers tools that may be called. */
export interface Upstream {
  readonly name: string;
  readonly tools: Pick<UpstreamTools, 'list' | 'call'>;
}

export interface ToolboxOptions {
  readonly upstreams: readonly Upstream[];
  /** Names of this server's own tools, which need no other server. */
  readonly own?: ReadonlySet<string>;
  readonly gate: Gate;
  /** Time limit of a call, ms. */
  readonly timeoutMs: number;
  /** Size limit of a result, bytes of JSON. */
  readonly maxResultBytes: number;
  /** The policy's decision. Tools that a principal may not call are not listed either. */
  readonly mayUse: (principal: Principal, server: string, tool: string) => boolean;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export class Toolbox {
  readonly #options: ToolboxOptions;
  readonly #loaded: LoadedSkills;

  constructor(options: ToolboxOptions) {
    this.#options = options;
    this.#loaded = new LoadedSkills(options.now);
  }

  /** Call for each loaded skill: its tools may be called from now on. Undefined where it names none of other servers. */
  async load(entry: LoadedEntry, principal: Principal): Promise<Pick<LoadedSkill, 'tools' | 'uncovered'>> {
    const wanted = wantedTools(entry);
    if (wanted.length === 0) return {};
    if (this.#options.upstreams.length > 0) this.#loaded.remember(principal, entry);
    const lists = await Promise.all(this.#options.upstreams.map(listTools));
    const may = (server: string, tool: string) => this.#options.mayUse(principal, server, tool);
    const findOffers = (each: WantedTool) =>
      holders(each, entry, lists).flatMap(({ name, list }) =>
        (list ?? [])
          .filter((tool) => matches(each, tool.name) && may(name, tool.name))
          .map((tool) => ({ name, tool })),
      );
    const tools = new Map<string, UpstreamTool>();
    for (const each of wanted)
      for (const { name, tool } of findOffers(each)) tools.set(`${name}/${tool.name}`, findTool(name, tool));
    const mayBeAt = (each: WantedTool) =>
      lists.filter(({ name, list }) => list === null && isMeant(each, name, entry) && may(name, each.tool));
    const unavailable = [...new Set(wanted.flatMap(mayBeAt).map(({ name }) => name))];
    const uncovered = mcpNames(entry).filter((written) => {
      const meant = wantedTools({ mcpTools: [written], allowedTools: [] });
      const mayExist = ({ server }: WantedTool) =>
        lists.some(({ name, list }) => list === null && (server === null || isServer(server, name)));
      const isOwn = ({ server, tool }: WantedTool) =>
        this.#options.own?.has(tool) === true && (server === null || isServer(server, 'skillgate'));
      return (
        meant.length > 0 &&
        !meant.some((each) => isOwn(each) || findOffers(each).length > 0 || mayExist(each))
      );
    });
    return {
      ...(uncovered.length > 0 && { uncovered }),
      ...((tools.size > 0 || unavailable.length > 0) && {
        tools: {
          callable: this.#options.gate !== 'off',
          tools: [...tools.values()].slice(0, MAX_TOOLS),
          unlisted: Math.max(0, tools.size - MAX_TOOLS),
          unavailable,
        },
      }),
    };
  }

  /** Tools of the other servers that no skill of `entries` names, as `server/tool`; those of servers that do not answer are left out. */
  async unnamed(entries: Iterable<LoadedEntry>): Promise<readonly string[]> {
    const lists = await Promise.all(this.#options.upstreams.map(listTools));
    const left = new Map<string, { readonly name: string; readonly tool: string }>();
    for (const { name, list } of lists)
      for (const tool of list ?? []) left.set(`${name}/${tool.name}`, { name, tool: tool.name });
    for (const entry of entries)
      for (const each of wantedTools(entry))
        for (const { name } of holders(each, entry, lists))
          for (const [key, offered] of left)
            if (offered.name === name && matches(each, offered.tool)) left.delete(key);
    return [...left.keys()];
  }

  /** Throws `TOOL_REFUSED`, `UPSTREAM_FAILED` or `TOOL_RESULT_TOO_LARGE`; rejects with the signal's reason. */
  async use(request: ToolRequest, principal: Principal): Promise<ToolOutcome> {
    const { server, tool } = request;
    const upstream = this.#options.upstreams.find(({ name }) => name === server);
    // The same answer whether the tool does not exist or may not be called.
    if (upstream === undefined || !(await this.#mayCall(request, principal)))
      throw new GatewayError('TOOL_REFUSED', this.#refusal(server, tool), { data: { server, tool } });
    const { timeoutMs } = this.#options;
    const call: UpstreamCall = {
      name: tool,
      arguments: request.arguments,
      timeoutMs,
      signal: request.signal,
      onProgress: request.onProgress,
    };
    const result = await upstream.tools.call(call).catch((error: unknown) => {
      throw error instanceof UpstreamError ? failed(server, tool, error, timeoutMs) : error;
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
      // A name without a server means the skill's own server where that has the tool, else any server.
      const own = server === entry.source ? undefined : upstreams.find(({ name }) => name === entry.source);
      const list = own === undefined ? null : (await listTools(own)).list;
      if (!list?.some(({ name }) => name === tool)) return true;
    }
    return false;
  }

  #refusal(server: string, tool: string): string {
    const named = `${JSON.stringify(server)} ${JSON.stringify(tool)}`;
    return this.#options.gate === 'all'
      ? `There is no server and tool ${named} that may be called here.`
      : `No loaded skill names the server and tool ${named}, or it may not be called.`;
  }

  #bounded(server: string, tool: string, result: ToolOutcome): ToolOutcome {
    const size = Buffer.byteLength(JSON.stringify(result));
    const limit = this.#options.maxResultBytes;
    if (size <= limit) return result;
    const message = `The result of ${JSON.stringify(tool)} has ${size} bytes; the limit is ${limit}. The call was carried out.`;
    throw new GatewayError('TOOL_RESULT_TOO_LARGE', message, { data: { server, tool, size, limit } });
  }
}

interface Listed {
  readonly name: string;
  /** Null where the server does not answer in time. */
  readonly list: readonly ListedTool[] | null;
}

async function listTools({ name, tools }: Upstream): Promise<Listed> {
  const list = tools.list().catch(() => null);
  return { name, list: await withTimeout(list, LIST_TIMEOUT_MS, () => null) };
}

/** The servers that a name may mean: the named one, else the skill's own where it has the tool, else all. */
function holders(wanted: WantedTool, { source }: LoadedEntry, lists: readonly Listed[]): readonly Listed[] {
  const { server } = wanted;
  if (server !== null) return lists.filter(({ name }) => isServer(server, name));
  const own = lists.find(({ name }) => name === source);
  return own?.list?.some(({ name }) => matches(wanted, name)) ? [own] : lists;
}

const isMeant = ({ server }: WantedTool, name: string, { source }: LoadedEntry) =>
  server === null ? name === source : isServer(server, name);

const matches = ({ tool }: WantedTool, name: string) => tool === name || tool === '*';

function findTool(
  server: string,
  { name, title, description, inputSchema, annotations }: ListedTool,
): UpstreamTool {
  return {
    server,
    tool: name,
    title,
    description: description ?? '',
    inputSchema,
    annotations,
  };
}

/** The server's error, with a sentence that says whether the call may have been carried out. */
function failed(
  server: string,
  tool: string,
  { code, message, data }: UpstreamError,
  timeoutMs: number,
): GatewayError {
  const doubt = 'It is not known whether the call was carried out';
  const messages: Record<UpstreamError['code'], string> = {
    UPSTREAM_REFUSED: message,
    UPSTREAM_UNREACHABLE: `The server cannot be reached, nothing was called: ${message}`,
    UPSTREAM_FORGOT: `The server was restarted, nothing was called: ${message}`,
    UPSTREAM_GONE: `The connection ended before the answer came. ${doubt}.`,
    UPSTREAM_SLOW: `There was no answer within ${timeoutMs} ms. ${doubt}.`,
    UPSTREAM_FLOOD: `${message} ${doubt}.`,
    UPSTREAM_ANSWER: `The answer violates the protocol: ${message} ${doubt}.`,
  };
  const small = data.data === undefined || JSON.stringify(data.data).length <= MAX_ERROR_DATA;
  const upstream = { code: data.code, message: data.message, ...(small && { data: data.data }) };
  return new GatewayError('UPSTREAM_FAILED', `${server}: ${messages[code]}`, {
    data: { server, tool, reason: code, ...(code === 'UPSTREAM_REFUSED' && { upstream }) },
  });
}
