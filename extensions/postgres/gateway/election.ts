/**
 * The election of the one writer. A gateway that stops publishes the changes that it has seen, for a bounded time, and then gives the
 * lease back while it ends.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes } from '../../../src/app/extension-api.ts';
import type { IndexStore, Lease } from '../index-store.ts';

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
  /** Called with the time at which the lease was asked for, each time that it was given or prolonged. */
  readonly onHeld?: (at: number) => void;
  /** What this gateway still has to publish; null where it cannot. */
  readonly changes: () => Pick<ReturnType<Changes['status']>, 'seen' | 'committed'> | null;
  /** Called once a gateway that stops has given the lease back. */
  readonly onReleased?: () => void;
}

/** Renewals of one lease's time: two may fail. */
const RENEWALS = 4;
/**
 * Longest time in which a writer that stops publishes the changes that it has seen, ms. Another one would begin anew, with a check of all
 * skills. Container hosts kill after 10 s.
 */
const FINISH_MS = 5_000;
/** How often a writer that stops checks whether they are published, ms. */
const FINISH_POLL_MS = 20;

/** Takes part until the signal aborts; then gives the lease back. Never rejects. */
export async function takePart(options: ElectionOptions, signal: AbortSignal): Promise<void> {
  const { store, line, holder, ttlMs, retryMs, onError, onHeld } = options;
  while (!signal.aborted) {
    const askedAt = performance.now();
    const lease = await store.acquire(line, holder, ttlMs).catch((error: unknown) => {
      onError(error);
      return null;
    });
    if (lease !== null) {
      onHeld?.(askedAt);
      await holdLease(lease, options, signal);
    }
    await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function holdLease(lease: Lease, options: ElectionOptions, signal: AbortSignal): Promise<void> {
  const { store, write, onError, onReleased } = options;
  const over = new AbortController();
  const stop = () => void finish(options, over.signal).then(() => over.abort());
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop);
  const renewing = renewUntil(over.signal, lease, options).then(async () => {
    over.abort();
    // At once: another gateway takes over while this one ends its work, and what it still publishes is refused then.
    await store.release(lease).then(signal.aborted ? onReleased : undefined, () => {});
  });
  try {
    await write(lease, over.signal);
  } catch (error) {
    onError(error);
  } finally {
    signal.removeEventListener('abort', stop);
    over.abort();
    await renewing;
  }
}

/** Resolves once the changes that this gateway has seen are published, or it cannot publish them soon. */
async function finish({ changes }: Pick<ElectionOptions, 'changes'>, over: AbortSignal): Promise<void> {
  const end = performance.now() + FINISH_MS;
  const { seen = 0 } = changes() ?? {};
  while (!over.aborted && performance.now() < end && (changes()?.committed ?? seen) < seen)
    await sleep(FINISH_POLL_MS);
}

/** Resolves when the signal aborts, or once another holder has the lease. */
async function renewUntil(
  ending: AbortSignal,
  lease: Lease,
  { store, ttlMs, onError, onHeld }: ElectionOptions,
): Promise<void> {
  while (!ending.aborted) {
    await sleep(ttlMs / RENEWALS, undefined, { signal: ending, ref: false }).catch(() => {});
    if (ending.aborted) return;
    const askedAt = performance.now();
    try {
      if (!(await store.renew(lease, ttlMs))) return;
      onHeld?.(askedAt);
    } catch (error) {
      // A store that is away is written again once it is back, unless another gateway has the lease by then.
      onError(error);
    }
  }
}
