/** Notifying clients of new index generations, including those that connect before the gateway is open. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { McpServer, ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Gateway } from '../gateway/gateway.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import type { Log } from './errors.ts';

type OpenGateway = () => Promise<Pick<Gateway, 'onChange'>>;

/** Calls `listener` after each new generation; never if the gateway fails to open. Returns the unsubscribe function. */
function onGatewayChange(gateway: OpenGateway, listener: () => void): () => void {
  const listening = gateway().then(
    (open) => open.onChange(listener),
    () => () => {},
  );
  return () => void listening.then((stop) => stop());
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

export class ChangeBus implements ServerEventBus {
  readonly #caller = new AsyncLocalStorage<Principal>();
  readonly #gateway: (principal: Principal) => Promise<Pick<Gateway, 'onChange'>>;

  constructor(gateway: (principal: Principal) => Promise<Pick<Gateway, 'onChange'>>) {
    this.#gateway = gateway;
  }

  /** Runs `work` for a principal: subscriptions that it opens belong to that principal. */
  during<Result>(principal: Principal, work: () => Result): Result {
    return this.#caller.run(principal, work);
  }

  /** Does nothing: only gateways publish events. */
  publish(): void {}

  /** Outside of `during` there is no caller, so the listener is never called. */
  subscribe(listener: (event: ServerEvent) => void): () => void {
    const principal = this.#caller.getStore();
    if (principal === undefined) return () => {};
    return onGatewayChange(
      () => this.#gateway(principal),
      () => listener({ kind: 'resources_list_changed' }),
    );
  }
}
