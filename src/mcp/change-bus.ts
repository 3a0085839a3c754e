/**
 * Who hears of a change over HTTP: a subscriber hears of generations that change what it may see, and of no others. The
 * SDK's bus knows no callers, so each request is handled `during` its own.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Gateway } from '../gateway/gateway.ts';
import type { Principal } from '../gateway/principal.ts';
import { whenChanged } from './changes.ts';

export class ChangeBus implements ServerEventBus {
  readonly #asking = new AsyncLocalStorage<Principal>();
  readonly #gateway: (principal: Principal) => Promise<Pick<Gateway, 'onChange'>>;

  constructor(gateway: (principal: Principal) => Promise<Pick<Gateway, 'onChange'>>) {
    this.#gateway = gateway;
  }

  /** Does the work for a principal: subscriptions that it opens are that principal's. */
  during<Result>(principal: Principal, work: () => Result): Result {
    return this.#asking.run(principal, work);
  }

  /** Nobody but the gateways has anything to tell. */
  publish(): void {}

  /** Where nobody is asking, nothing is heard. */
  subscribe(listener: (event: ServerEvent) => void): () => void {
    const principal = this.#asking.getStore();
    if (principal === undefined) return () => {};
    return whenChanged(
      () => this.#gateway(principal),
      () => listener({ kind: 'resources_list_changed' }),
    );
  }
}
