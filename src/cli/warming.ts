/** A server's index before anybody asks for it: opened, read as far as a search needs it, and tried again until it is. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Library } from '../gateway/library.ts';
import { mend } from '../gateway/mending.ts';

/** Waits between tries, ms: the first, and the longest, after each has been twice as long as the one before. */
const TRY_AGAIN_MS = [1_000, 60_000] as const;

export type Warmable = Pick<Library, 'isOpen' | 'current' | 'remake' | 'notice'>;

export interface WarmingOptions {
  readonly log: (message: string) => void;
  /** Ends the tries. */
  readonly signal: AbortSignal;
  /** Resolves after so many ms, or rejects at the signal. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Opens the index of the library that is being opened. Returns why calls cannot be answered yet, for who asks whether
 * they can; null once they can, whether it was this or a call that made it so.
 */
export function warming(opened: Promise<Warmable>, options: WarmingOptions): () => string | null {
  const { log, signal } = options;
  let library: Warmable | undefined;
  let reason = 'The index is being opened.';
  const told = new Set<string>();
  const failed = (error: unknown) => {
    if (signal.aborted) return;
    reason = 'The index could not be opened; the log says why.';
    const message = error instanceof Error ? error.message : String(error);
    if (!told.has(message)) log(`The index could not be opened: ${message}`);
    told.add(message);
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
  const [first, longest] = TRY_AGAIN_MS;
  for (let ms: number = first; !signal.aborted; ms = Math.min(2 * ms, longest)) {
    try {
      return await mend(library, async () => (await library.current()).reader.readVectors());
    } catch (error) {
      failed(error);
    }
    await wait(ms, signal);
  }
}
