/**
 * Change events over HTTP: a subscriber is notified only of generations that change what its principal may see. The SDK's bus
 * knows no callers, so each request is handled inside `during`.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Gateway } from '../gateway/gateway.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import { onGatewayChange } from './changes.ts';

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
