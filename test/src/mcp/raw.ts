/** Raw JSON-RPC with a server in memory, by default of revision 2025-11-25, to compare whole messages. */

import { InMemoryTransport, type JSONRPCMessage, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { endWithTest } from '../../end-with-test.ts';

export interface RawConnection {
  /** The answer to `initialize`; empty in the revision without it. */
  readonly opened: RawAnswer;
  /** Methods of the received notifications, in order. */
  readonly notified: readonly string[];
  ask(method: string, params?: Record<string, unknown>): Promise<RawAnswer>;
  close(): Promise<void>;
}

export interface RawAnswer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The parameters of `initialize` in an older revision. */
export const initializeParams = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});

/** What each request of revision 2026-07-28 carries. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export async function connectRaw(
  factory: McpServerFactory,
  revision: '2025-11-25' | '2026-07-28' = '2025-11-25',
): Promise<RawConnection> {
  const isModern = revision === '2026-07-28';
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far, onerror: () => {} });
  const waiting = new Map<unknown, (answer: RawAnswer) => void>();
  const notified: string[] = [];
  near.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message) notified.push(message.method);
    // The tests use only the result or the error of a response.
    else waiting.get(message.id)?.(message as RawAnswer);
  };
  await near.start();
  let last = 0;
  const ask: RawConnection['ask'] = (method, params) => {
    last += 1;
    const id = last;
    const answer = new Promise<RawAnswer>((resolve) => waiting.set(id, resolve));
    const sent = isModern ? { ...params, _meta: ENVELOPE } : params;
    return near.send({ jsonrpc: '2.0', id, method, ...(sent && { params: sent }) }).then(() => answer);
  };
  const opened = isModern ? {} : await ask('initialize', initializeParams(revision));
  if (!isModern) await near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    opened,
    notified,
    ask,
    close: endWithTest(async () => {
      await near.close();
      await handle.close();
    }),
  };
}
