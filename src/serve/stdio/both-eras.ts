/**
 * Serves both protocol eras on one connection. The SDK decides for the connection once; here `initialize` opens the older
 * era also after calls of the newest one, as a client does that tries one after the other.
 */

import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServerFactory,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isRecord } from '../../base/json.ts';

/** Marks a message of the newest era. */
const CLAIM = 'io.modelcontextprotocol/protocolVersion';

type Handle = ReturnType<typeof serveStdio>;

/** Closing the handle closes the wire. */
export function serveBothEras(
  factory: McpServerFactory,
  wire: Transport,
  onerror: (error: Error) => void,
): Handle {
  const eras: { readonly channel: Transport; readonly handle: Handle }[] = [];
  let isModern = false;
  const open = () => {
    const channel: Transport = {
      start: async () => {},
      send: (message, options) => wire.send(message, options),
      close: async () => (channel === eras.at(-1)?.channel ? wire.close() : undefined),
    };
    eras.push({ channel, handle: serveStdio(factory, { transport: channel, onerror }) });
  };
  open();
  wire.onmessage = (message, extra) => {
    const claims = claimsModern(message);
    // The first era stays open until the end: it may have calls to answer.
    if (isModern && !claims && isJSONRPCRequest(message) && message.method === 'initialize') {
      isModern = false;
      open();
    } else isModern ||= claims && eras.length === 1;
    eras.at(-1)?.channel.onmessage?.(message, extra);
  };
  wire.onerror = (error) => eras.at(-1)?.channel.onerror?.(error);
  wire.onclose = () => {
    for (const { channel } of eras) channel.onclose?.();
  };
  const started = wire.start().catch(onerror);
  return {
    async close() {
      await started;
      for (const { handle } of eras) await handle.close();
    },
  };
}

function claimsModern(message: JSONRPCMessage): boolean {
  const meta = 'params' in message && isRecord(message.params) ? message.params._meta : undefined;
  return isRecord(meta) && CLAIM in meta;
}
