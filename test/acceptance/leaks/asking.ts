/** Sends raw requests to a server as a principal, and keeps every message as wire text. */

import { InMemoryTransport, type JSONRPCMessage, type McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import type { Principal } from '../../../src/gateway/policy/principal.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { withTool } from '../../../src/mcp/tools/profile.ts';
import { useTool } from '../../../src/mcp/tools/use-tool.ts';
import { allFeatures, PROFILES, type ProfileName } from '../../src/mcp/profiles.ts';
import { ENVELOPE, initializeParams } from '../../src/mcp/raw.ts';

export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

export interface Asking {
  /** Every method that the server declares a handler for. */
  readonly methods: readonly string[];
  /** The text of the whole answer. */
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Notifications and requests of the server. */
  readonly notified: readonly string[];
  close(): Promise<void>;
}

export async function askAs(
  principal: Principal,
  gateway: (principal: Principal) => Gateway,
  era: Era,
  tools: ProfileName,
): Promise<Asking> {
  const log = () => {};
  const profile = withTool(PROFILES[tools], useTool('loaded'));
  const factory = mcpServerFactory({
    gateway: async (who) => gateway(who),
    version: '0.0.0',
    log,
    profile,
    features: allFeatures(profile, log),
    guideTimeoutMs: 60_000,
  });
  let server: McpServer | undefined;
  const authInfo = { token: 't', clientId: principal.id, scopes: [], extra: { principal } };
  const [near, far] = InMemoryTransport.createLinkedPair();
  const made = async (context: { era: 'legacy' | 'modern' }) => {
    server = await factory({ ...context, authInfo });
    return server;
  };
  const handle = serveStdio(made, { transport: far, onerror: () => {} });
  const waiting = new Map<unknown, (text: string) => void>();
  const notified: string[] = [];
  near.onmessage = (message: JSONRPCMessage) => {
    const text = JSON.stringify(message);
    if ('method' in message) notified.push(text);
    else waiting.get(message.id)?.(text);
  };
  await near.start();
  let last = 0;
  const ask: Asking['ask'] = async (method, params = {}) => {
    last += 1;
    const id = last;
    const answer = new Promise<string>((resolve) => waiting.set(id, resolve));
    const _meta = era === 'modern' ? { _meta: ENVELOPE } : {};
    await near.send({ jsonrpc: '2.0', id, method, params: { ...params, ..._meta } });
    return answer;
  };
  if (era === 'legacy') {
    await ask('initialize', initializeParams('2025-11-25'));
    await near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  } else await ask('server/discover');
  return {
    methods: handlersOf(server),
    ask,
    notified,
    async close() {
      await near.close();
      await handle.close();
    },
  };
}

/** The SDK has no public list of methods; its internal map is complete. */
function handlersOf(server: McpServer | undefined): string[] {
  const map: unknown = server && Reflect.get(server.server, '_requestHandlers');
  if (!(map instanceof Map) || map.size === 0) throw new Error('The SDK keeps its handlers elsewhere now.');
  return [...map.keys()].map(String).sort();
}
