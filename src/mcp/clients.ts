/**
 * What clients do with answers, by the name in their handshake, as measured in their own programs (docs/hosts.md): which form of an
 * answer reaches the model, and how long an answer may be before the client cuts it or puts a file in its place.
 */

import type { McpServer } from '@modelcontextprotocol/server';
import { isRecord } from '../base/json.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { DEFAULT_TOKENS } from '../gateway/tokens.ts';
import { interceptHandlers } from './warnings.ts';

interface Client {
  /** In lower case, the beginning of its name. */
  readonly name: string;
  /** Longest answer that it shows whole, characters. */
  readonly maxCharacters?: number;
}

/**
 * Given structured content, these show the model its JSON in place of the text, or both; given text alone, they show the text. Their
 * limits: Cline cuts the middle of 8,000 characters, Copilot CLI replaces 20 KiB by the name of a file.
 */
const TEXT_CLIENTS: readonly Client[] = [
  { name: 'claude-code' },
  { name: 'codex' },
  { name: '@cline', maxCharacters: 7_500 },
  { name: 'cline', maxCharacters: 7_500 },
  { name: 'copilot', maxCharacters: 19_000 },
  { name: 'github-copilot', maxCharacters: 19_000 },
  { name: 'qwen' },
  { name: 'pi' },
];

const clientNamed = (name: string): Client | undefined =>
  TEXT_CLIENTS.find((client) => name.toLowerCase().startsWith(client.name));

/** Where a request of 2026-07-28 names its client. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

/**
 * The client of a server, by its handshake or its last request; undefined for one without an entry here. Call before handlers are
 * registered.
 */
export function clientReader(server: McpServer): () => Client | undefined {
  let named: unknown;
  interceptHandlers(server, (_method, request, handle) => {
    named = infoIn(request.at(-1)) ?? named;
    return handle(...request);
  });
  return () => {
    const info = named ?? server.server.getClientVersion();
    return isRecord(info) && typeof info.name === 'string' ? clientNamed(info.name) : undefined;
  };
}

/** The SDK gives handlers their context last. */
function infoIn(context: unknown): unknown {
  const { mcpReq } = isRecord(context) ? context : {};
  const { envelope } = isRecord(mcpReq) ? mcpReq : {};
  return isRecord(envelope) ? envelope[CLIENT_INFO] : undefined;
}

/** Leaves structured content and output schemas out for the clients above. Call before tools are registered. */
export const textForTextClients = (server: McpServer, client: ReturnType<typeof clientReader>): void =>
  interceptHandlers(server, async (method, request, handle) => {
    const result = await handle(...request);
    if (!isRecord(result) || client() === undefined) return result;
    if (method === 'tools/call') {
      const { structuredContent: _, ...rest } = result;
      return rest;
    }
    if (method !== 'tools/list' || !Array.isArray(result.tools)) return result;
    return { ...result, tools: result.tools.map(({ outputSchema: _, ...tool }) => tool) };
  });

/** Of an answer, what is not the text of a skill: ids, files, how to go on. */
const HEAD_CHARACTERS = 1_500;
/** As tokens are estimated: a text of that many tokens has at most this many characters each. */
const CHARACTERS_PER_TOKEN = 3.6;

/** Texts that keep an answer within `most` characters. */
export function withinLimit(gateway: Gateway, most: number | undefined): Gateway {
  if (most === undefined) return gateway;
  const tokens = Math.max(100, Math.floor((most - HEAD_CHARACTERS) / CHARACTERS_PER_TOKEN));
  const within = (asked = DEFAULT_TOKENS) => Math.min(asked, tokens);
  return {
    ...gateway,
    load: (request) => gateway.load({ ...request, maxTokens: within(request.maxTokens) }),
    // A file's usual limit is half of that of a skill.
    read: (request) =>
      gateway.read({ ...request, maxTokens: within(request.maxTokens ?? DEFAULT_TOKENS / 2) }),
  };
}
