/**
 * Replaces a file in one step: a reader, and a process that starts after another one died, finds the old contents or the new ones. Waits for
 * programs that have the file open for a moment. `index/` writes its own files.
 */

import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { systemCode } from '../errors.ts';

/** Attempts, and the pause between them, ms: scanners and editors hold a file for less than half a second. */
const ATTEMPTS = 20;
const PAUSE_MS = 25;
/** What Windows answers while a program has the file open. Elsewhere these last, so that waiting would not help. */
const HELD = ['EPERM', 'EACCES', 'EBUSY'];

interface Means {
  readonly platform: string;
  readonly rename: (from: string, to: string) => void;
  readonly pause: (ms: number) => void;
}

const MEANS: Means = {
  platform: process.platform,
  rename: renameSync,
  pause: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** A link is replaced, not followed. Throws the system's error, and leaves no temporary file then. */
export function replaceFile(file: string, text: string | Uint8Array, mode: number, means = MEANS): void {
  // Unguessable and new: a link that waits in a cloned project would have another file overwritten.
  const temporary = `${file}.${randomUUID()}.tmp`;
  const descriptor = openSync(temporary, 'wx', mode);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  putInPlace(temporary, file, means);
}

function putInPlace(temporary: string, file: string, { platform, rename, pause }: Means): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      rename(temporary, file);
      return;
    } catch (error) {
      const isHeld = platform === 'win32' && HELD.includes(systemCode(error) ?? '');
      if (!isHeld || attempt === ATTEMPTS) {
        rmSync(temporary, { force: true });
        throw error;
      }
      pause(PAUSE_MS);
    }
  }
}
