/**
 * What the list of a host takes of every prompt and leaves out, next to what skillgate took: its instructions and tools in every
 * prompt, and the answers in the audit log. All tokens are estimates; hosts use their own tokenizers, and most cache a prompt's start.
 */

import type { Gateway } from '../gateway/gateway.ts';
import { estimateTokens } from '../gateway/tokens.ts';
import { agentTools } from '../mcp/agent-tools.ts';
import { writeGuide } from '../mcp/instructions.ts';
import type { LoggedCall } from '../serve/telemetry/calls.ts';
import type { HostList } from './listing.ts';

/** Bytes of a token, as of characters in `estimateTokens`: most texts are Latin. */
const BYTES_PER_TOKEN = 3.6;

export interface Savings {
  readonly hosts: ReturnType<typeof hostSavings>;
  /** Tokens of instructions and tools in every prompt. */
  readonly own: number;
  /** Null without an audit log. */
  readonly used: Used | null;
}

interface Used {
  /** Starts of a server: over standard input, sessions of a host. */
  readonly sessions: number;
  readonly searches: Answers;
  readonly loads: Answers;
  readonly reads: Answers;
}

interface Answers {
  readonly calls: number;
  /** Of their texts. Of searches whose size an older log does not have, at the mean of the others; null where none has it. */
  readonly tokens: number | null;
}

export const hostSavings = (lists: readonly HostList[]) =>
  lists.map(({ host, report: { skills, tokens, omitted, withoutDescription, shortenedTo }, ...state }) => ({
    name: host.name,
    connected: state.isConnected,
    /** Whether its list is switched off, so that the figures are of what it would be. */
    hidden: state.isHidden,
    skills,
    /** Of every prompt. */
    tokens,
    /** Skills that it does not show at all, skills that it shows by name alone, and to how many characters it cuts descriptions. */
    omitted: omitted.length,
    withoutDescription: withoutDescription.length,
    shortenedTo,
  }));

/** What a caller of this gateway has of skillgate in every prompt, tokens. */
export async function ownTokens(gateway: Gateway): Promise<number> {
  const { instructions } = writeGuide(await gateway.summary());
  const tools = (await agentTools(gateway, () => {})).map(({ name, description, parameters }) => ({
    name,
    description,
    inputSchema: parameters,
  }));
  return estimateTokens(instructions) + estimateTokens(JSON.stringify(tools));
}

/** `calls` of an audit log. */
export function usedIn(calls: readonly LoggedCall[], sessions: number): Used {
  const answers = (name: string): Answers => {
    const own = calls.filter(({ call, outcome }) => call === name && outcome === 'ok');
    const sizes = own.flatMap(({ bytes }) => bytes ?? []);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    const tokens =
      own.length === 0 ? 0 : sizes.length === 0 ? null : Math.round((mean * own.length) / BYTES_PER_TOKEN);
    return { calls: own.length, tokens };
  };
  return { sessions, searches: answers('search'), loads: answers('load'), reads: answers('read') };
}
