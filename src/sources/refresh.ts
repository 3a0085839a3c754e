/**
 * Refreshes fetched sources in the background: at their interval, sooner after a failure, and at once if the origin
 * reports a change. The next scan finds what was fetched; no caller waits for it. Also says how old contents are.
 */

import { backoffMs } from '../base/timing.ts';
import type { FetchedSource, SourceStatus } from './fetched.ts';

/** Intervals vary by this share either way, so that many servers do not refresh in step. */
const JITTER = 0.1;
/** First pause after a failure, ms, about as long as a restart of the origin; doubled with each further failure. */
const RETRY_MS = 30_000;
/** Longest pause after failures, ms, unless the source's own interval is longer. */
const LONGEST_RETRY_MS = 900_000;
/** Shortest time between two fetches, ms, however often the origin reports a change. */
const SHORTEST_PAUSE_MS = 1_000;

export interface RefreshOptions {
  /** Called after each fetch that changed skills. */
  readonly onChange: (source: FetchedSource) => void;
  /** Called after each fetch, successful or not. */
  readonly onFetched?: (source: FetchedSource) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Resolves after `ms`, or as soon as the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Refreshes all sources independently until it is stopped. */
export function keepFresh(
  sources: readonly FetchedSource[],
  options: RefreshOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = sources.map((source) => refreshLoop(source, options, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.allSettled(loops);
    },
  };
}

async function refreshLoop(
  source: FetchedSource,
  options: RefreshOptions,
  stopped: AbortSignal,
): Promise<void> {
  const { onChange, onFetched, random, wait, now } = options;
  let known = source.status().resolved;
  let failures = 0;
  let pause = untilDue(source, now()) * (1 + JITTER * random());
  let notified = new AbortController();
  const unsubscribe = source.onNotification?.(() => notified.abort());
  try {
    for (;;) {
      await wait(pause, AbortSignal.any([stopped, notified.signal]));
      if (stopped.aborted) return;
      notified = new AbortController();
      // A source must not reject; if it does, that counts as a failure.
      const changed = await source.refresh(stopped).catch(() => null);
      if (stopped.aborted) return;
      const { resolved, failure } = source.status();
      onFetched?.(source);
      // A fetch of another process into the same folder counts as a change too.
      if (changed === true || resolved !== known) onChange(source);
      known = resolved;
      failures = failure === null && changed !== null ? 0 : failures + 1;
      // Notifications are ignored for a while: the origin may be failing, or send them without end.
      const quiet = failures > 0 ? retryMs(source.refreshMs, failures) : SHORTEST_PAUSE_MS;
      const interval = failures > 0 ? quiet : source.refreshMs;
      const jittered = (1 - JITTER + 2 * JITTER * random()) * interval;
      await wait(Math.min(quiet, jittered), stopped);
      pause = Math.max(0, jittered - quiet);
    }
  } finally {
    unsubscribe?.();
  }
}

/** Pause before the next attempt, ms, after `failures` failures in a row, at least one. */
function retryMs(refreshMs: number, failures: number): number {
  return backoffMs(failures, Math.min(RETRY_MS, refreshMs), Math.max(refreshMs, LONGEST_RETRY_MS));
}

/** Time until the source is due, ms; 0 if it is due, was never fetched, or failed last time. */
export function untilDue(source: FetchedSource, now: number): number {
  const { verifiedAt, failure } = source.status();
  if (verifiedAt === null || failure !== null) return 0;
  const age = now - Date.parse(verifiedAt);
  // A clock that was set back must not prevent a refresh.
  return age < 0 ? 0 : Math.max(0, source.refreshMs - age);
}

/** Fetches all sources in parallel, each within its own time limit. Failures are in their status. */
export async function refreshAll(sources: readonly FetchedSource[], signal?: AbortSignal): Promise<void> {
  await Promise.allSettled(sources.map((source) => source.refresh(signal)));
  signal?.throwIfAborted();
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `3 hours`, of the largest unit that fits; less than a second is `0 seconds`. */
export function ageText(ms: number): string {
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? ['second', 1_000];
  const count = Math.floor(Math.max(0, ms) / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** A warning about a source that is not fresh; null if it is. */
export function staleNote(status: SourceStatus, refreshMs: number, now: number): string | null {
  const { name, verifiedAt, failure } = status;
  if (verifiedAt === null)
    return failure === null
      ? `The source ${name} has never been fetched: its skills are missing.`
      : `The source ${name} could not be fetched, so its skills are missing. ${failure}`;
  const age = now - Date.parse(verifiedAt);
  if (failure !== null)
    return `The source ${name} could not be refreshed and shows its state of ${ageText(age)} ago. ${failure}`;
  return age > refreshMs ? `The source ${name} was last checked ${ageText(age)} ago.` : null;
}
