/** Which gateway is the writer: asks for the lease until it gets it, renews it, and asks again once it is lost. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexStore, Lease } from './index-store.ts';

export interface ElectionOptions {
  readonly store: Pick<IndexStore, 'acquire' | 'renew' | 'release'>;
  readonly line: string;
  /** Unique among gateways; names this one in `store status`. */
  readonly holder: string;
  /** How long the lease lasts after each renewal, ms: a dead writer is replaced after at most this and one `retryMs`. */
  readonly ttlMs: number;
  /** How often a gateway asks for the lease, ms. */
  readonly retryMs: number;
  /** Works as the writer until the signal aborts, or until it gives up. */
  readonly write: (lease: Lease, lost: AbortSignal) => Promise<void>;
  /** Called for a failure, which is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Renewals of one lease's time: two may fail. */
const RENEWALS = 4;

/** Takes part until the signal aborts; then gives the lease back. Never rejects. */
export async function takePart(options: ElectionOptions, signal: AbortSignal): Promise<void> {
  const { store, line, holder, ttlMs, retryMs, onError } = options;
  while (!signal.aborted) {
    const lease = await store.acquire(line, holder, ttlMs).catch((error: unknown) => {
      onError(error);
      return null;
    });
    if (lease !== null) await holdLease(lease, options, signal);
    await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function holdLease(
  lease: Lease,
  { store, ttlMs, write, onError }: ElectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const ending = AbortSignal.any([signal, lost.signal]);
  const renewing = (async () => {
    while (!ending.aborted) {
      await sleep(ttlMs / RENEWALS, undefined, { signal: ending, ref: false }).catch(() => {});
      if (ending.aborted) return;
      // While the store is out of reach nobody else can take the lease, and it is renewed once the store is back.
      const isOurs = await store.renew(lease, ttlMs).catch((error: unknown) => {
        onError(error);
        return true;
      });
      if (!isOurs) lost.abort();
    }
  })();
  try {
    await write(lease, ending);
  } catch (error) {
    onError(error);
  } finally {
    lost.abort();
    await renewing;
    await store.release(lease).catch(() => {});
  }
}
