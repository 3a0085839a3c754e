/** Keeping what a process writes, up to a limit, and telling it as it comes. */

import type { Readable } from 'node:stream';

export interface Capture {
  readonly bytes: () => Uint8Array;
  readonly truncated: () => boolean;
  /** Settles when the last writer has let go. */
  readonly ended: Promise<void>;
}

/** What goes over the limit is dropped; `onOverflow` is called once, and what is read then on is nobody's. */
export function capture(
  stream: Readable,
  limit: number,
  tell: (bytes: Uint8Array) => void,
  onOverflow: () => void,
): Capture {
  const chunks: Uint8Array[] = [];
  let left = limit;
  let overflowed = false;
  stream.on('data', (chunk: Buffer) => {
    const taken = chunk.subarray(0, left);
    if (taken.length > 0) {
      left -= taken.length;
      chunks.push(taken);
      tell(taken);
    }
    if (taken.length < chunk.length && !overflowed) {
      overflowed = true;
      onOverflow();
    }
  });
  const ended = new Promise<void>((resolve) => {
    // A reader that fails has nothing more to give.
    stream.on('error', () => resolve()).on('close', resolve);
  });
  return { bytes: () => Buffer.concat(chunks), truncated: () => overflowed, ended };
}
