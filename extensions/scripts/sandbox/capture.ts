/** Keeps what a process writes, up to a limit, and passes it on as it arrives. */

import type { Readable } from 'node:stream';

interface Capture {
  readonly bytes: () => Uint8Array;
  readonly truncated: () => boolean;
  /** Settles when the last writer has closed its end. */
  readonly ended: Promise<void>;
}

/** Drops what exceeds `limit` bytes and calls `onOverflow` once. */
export function capture(
  stream: Readable,
  limit: number,
  onBytes: (bytes: Uint8Array) => void,
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
      onBytes(taken);
    }
    if (taken.length < chunk.length && !overflowed) {
      overflowed = true;
      onOverflow();
    }
  });
  const ended = new Promise<void>((resolve) => {
    // A stream that fails delivers nothing more.
    stream.on('error', () => resolve()).on('close', resolve);
  });
  return { bytes: () => Buffer.concat(chunks), truncated: () => overflowed, ended };
}
