/** Replaces a file by a finished draft in one step, also while another program has it open for a moment. */

import { renameSync, rmSync } from 'node:fs';
import { systemCodeOf } from '../base/errors.ts';

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

/** Throws the system's error where the file cannot be replaced; the draft is removed then. */
export function replaceFile(draft: string, file: string, { platform, rename, pause }: Means = MEANS): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      rename(draft, file);
      return;
    } catch (error) {
      const isHeld = platform === 'win32' && HELD.includes(systemCodeOf(error) ?? '');
      if (!isHeld || attempt === ATTEMPTS) {
        rmSync(draft, { force: true });
        throw error;
      }
      pause(PAUSE_MS);
    }
  }
}
