/**
 * When fetched sources are looked at again: at their interval, sooner after a failure, at once where the origin says
 * that something changed. Nothing here waits in a caller's way; what is fetched is found by the next scan.
 */

import type { FetchedSource } from './sources/fetched.ts';

/** Intervals vary by this share either way, so that many servers do not ask one origin in step. */
const JITTER = 0.1;
/** First pause after a failure, ms, doubled with each further one: a restart of the origin takes as long. */
const RETRY_MS = 30_000;
/** Longest pause after failures, ms, where the source's own interval is shorter. */
const LONGEST_RETRY_MS = 900_000;
/** Shortest time between two fetches, ms, however often the origin says that something changed. */
const NOTICE_PAUSE_MS = 1_000;

export interface RefreshOptions {
  /** Called after each fetch that changed skills. */
  readonly onChange: (source: FetchedSource) => void;
  /** Called after each fetch, whatever came of it. */
  readonly onFetched?: (source: FetchedSource) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Resolves after that time, ms, or as soon as the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Follows all sources, each by itself, until it is stopped. */
export function keepFresh(
  sources: readonly FetchedSource[],
  options: RefreshOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const following = sources.map((source) => follow(source, options, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.allSettled(following);
    },
  };
}

async function follow(source: FetchedSource, options: RefreshOptions, stopped: AbortSignal): Promise<void> {
  const { onChange, onFetched, random, wait, now } = options;
  let known = source.status().resolved;
  let failures = 0;
  let pause = untilDue(source, now()) * (1 + JITTER * random());
  let noticed = new AbortController();
  const forget = source.onNotice?.(() => noticed.abort());
  try {
    for (;;) {
      await wait(pause, AbortSignal.any([stopped, noticed.signal]));
      if (stopped.aborted) return;
      noticed = new AbortController();
      // A source that rejects breaks its promise, and is one that failed: the others are not to suffer for it.
      const changed = await source.refresh(stopped).catch(() => null);
      if (stopped.aborted) return;
      const { resolved, failure } = source.status();
      onFetched?.(source);
      // Another process may have fetched into the same place: that counts as a change, too.
      if (changed === true || resolved !== known) onChange(source);
      known = resolved;
      failures = failure === null && changed !== null ? 0 : failures + 1;
      // An origin that fails, or that never stops telling, is not heard before its time.
      const deaf = failures > 0 ? retryMs(source.refreshMs, failures) : NOTICE_PAUSE_MS;
      const whole = failures > 0 ? deaf : source.refreshMs;
      const jittered = (1 - JITTER + 2 * JITTER * random()) * whole;
      await wait(Math.min(deaf, jittered), stopped);
      pause = Math.max(0, jittered - deaf);
    }
  } finally {
    forget?.();
  }
}

/** Pause before the next attempt, ms; `failures` in a row, at least one. */
export function retryMs(refreshMs: number, failures: number): number {
  const first = Math.min(RETRY_MS, refreshMs);
  return Math.min(first * 2 ** (failures - 1), Math.max(refreshMs, LONGEST_RETRY_MS));
}

/** Time until what was fetched is no longer fresh, ms; 0 where it is due, was never fetched or last failed. */
export function untilDue(source: FetchedSource, now: number): number {
  const { verifiedAt, failure } = source.status();
  if (verifiedAt === null || failure !== null) return 0;
  const age = now - Date.parse(verifiedAt);
  // A clock that was set back must not keep a source from being looked at.
  return age < 0 ? 0 : Math.max(0, source.refreshMs - age);
}

/** Fetches all of them side by side, each within its own time limit; failures are in their status. */
export async function refreshAll(sources: readonly FetchedSource[], signal?: AbortSignal): Promise<void> {
  await Promise.allSettled(sources.map((source) => source.refresh(signal)));
  signal?.throwIfAborted();
}
