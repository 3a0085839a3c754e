/**
 * What the writer removes from the store: generations that were replaced, with their files and those of skills that are gone. Without
 * it each change would add a segment for ever; `store gc` does the same for a store that no gateway writes.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../../src/base/errors.ts';
import type { IndexStore } from '../index-store.ts';

/** How often the writer looks, ms. */
const LOOK_MS = 10_000;
/** Other gateways may be fetching what was replaced so lately, or load a skill as it was, ms. */
const GRACE_MS = 10_000;
/** Generations of each line that stay: gateways may be fetching the one before. */
const KEPT = 2;
/** Longest time between two removals, ms, and as a share of the time in which all that was replaced goes. */
const REMOVE_MS = 3_600_000;
const REMOVE_SHARE = 0.25;
/** Growth since the last time from which it pays: with what is added between two looks the store stays below three times what is live. */
const GROWTH = 1.5;

export interface GarbageOptions {
  readonly store: Pick<IndexStore, 'status' | 'collect'>;
  readonly line: string;
  /** Digests of the skills that the published index of the line holds. */
  readonly live: () => Promise<readonly string[]>;
  readonly log: (message: string) => void;
  /** What was replaced is gone within this time, ms, whatever the growth. */
  readonly purgeMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Removes garbage until the signal aborts. Never rejects: what fails is tried again. */
export async function collectGarbage(
  { store, line, live, log, purgeMs, now, wait = pause }: GarbageOptions,
  signal: AbortSignal,
): Promise<void> {
  /** Bytes that the last time left, and the skills that were live at an earlier look: those are removed only at a later one. */
  let least = 0;
  let earlier: readonly string[] | null = null;
  let failure: string | null = null;
  let removedAt = now();
  const everyMs = Math.min(REMOVE_MS, REMOVE_SHARE * purgeMs);
  while (!signal.aborted) {
    await wait(LOOK_MS, signal);
    if (signal.aborted) return;
    try {
      const { bytes, lines } = await store.status();
      const isDue = now() - removedAt >= everyMs;
      if (bytes <= GROWTH * least && !isDue) continue;
      const present = await live();
      if (earlier !== null) {
        // Another version knows which skills its own line holds.
        const isAlone = lines.every((other) => other.line === line);
        const liveSkills = isAlone ? [...new Set([...earlier, ...present])] : null;
        const removed = await store.collect({ keep: isDue ? 1 : KEPT, liveSkills, graceMs: GRACE_MS });
        least = bytes - removed.bytes;
        removedAt = now();
      }
      earlier = earlier === null ? present : null;
      failure = null;
    } catch (error) {
      const message = errorMessage(error);
      if (message !== failure) log(`Unused data could not be removed from the store: ${message}`);
      failure = message;
    }
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => {});
