/** Notifying clients of new index generations, including those that connect before the gateway is open. */

import type { McpServer } from '@modelcontextprotocol/server';
import type { Gateway } from '../gateway/gateway.ts';
import type { Log } from './errors.ts';

type OpenGateway = () => Promise<Pick<Gateway, 'onChange'>>;

/** Calls `listener` after each new generation; never if the gateway fails to open. Returns the unsubscribe function. */
export function onGatewayChange(gateway: OpenGateway, listener: () => void): () => void {
  let stopped = false;
  let stop = () => {};
  gateway().then(
    (open) => {
      if (!stopped) stop = open.onChange(listener);
    },
    () => {},
  );
  return () => {
    stopped = true;
    stop();
  };
}

/** Calls `notify` after each new generation while the server has a client. A failed notification is logged. */
export function notifyOfChanges(
  mcp: McpServer,
  gateway: OpenGateway,
  notify: () => Promise<void>,
  log: Log,
): void {
  const stop = onGatewayChange(gateway, () => {
    if (mcp.isConnected()) notify().catch((error) => log(`list_changed: ${String(error)}`));
  });
  const { onclose } = mcp.server;
  mcp.server.onclose = () => {
    stop();
    onclose?.();
  };
}
