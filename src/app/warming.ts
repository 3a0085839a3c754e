/** Opens a server's index before the first call, and retries until it is open. */

import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../base/errors.ts';
import { backoffMs } from '../base/timing.ts';
import type { Library } from '../catalog/library.ts';
import { retryRepaired } from '../gateway/intercept.ts';

/** Delays between tries, ms: the first one, doubled after each failure, up to the longest. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

export type Warmable = Pick<Library, 'isOpen' | 'current' | 'rebuild' | 'notice'>;

export interface WarmingOptions {
  readonly log: (message: string) => void;
  /** Ends the tries. */
  readonly signal: AbortSignal;
  /** Resolves after `ms`, or rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Opens the index of a library that is still being opened. Returns a function that says why calls cannot be answered
 * yet; null once they can be, whether this or a call opened the index.
 */
export function warming(opened: Promise<Warmable>, options: WarmingOptions): () => string | null {
  const { log, signal } = options;
  let library: Warmable | undefined;
  let reason = 'The index is being opened.';
  const logged = new Set<string>();
  const failed = (error: unknown) => {
    if (signal.aborted) return;
    reason = 'The index could not be opened; the log says why.';
    const message = errorMessage(error);
    if (!logged.has(message)) log(`The index could not be opened: ${message}`);
    logged.add(message);
  };
  const warm = async () => {
    library = await opened;
    await untilWarm(library, failed, options);
  };
  warm().catch(failed);
  return () => (library?.isOpen ? null : reason);
}

async function untilWarm(
  library: Warmable,
  failed: (error: unknown) => void,
  { signal, wait = (ms) => sleep(ms, undefined, { signal, ref: false }) }: WarmingOptions,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await retryRepaired(library, async () => (await library.current()).reader.readVectors());
    } catch (error) {
      failed(error);
    }
    await wait(backoffMs(failures, FIRST_DELAY_MS, LONGEST_DELAY_MS), signal);
  }
}
