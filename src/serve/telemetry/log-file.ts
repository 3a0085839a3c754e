/**
 * Writes the lines of a log to a file or to stderr, and reopens the file after a rotation. A full disk or a missing
 * folder never stops the server: lost lines are counted, and the failure is logged once.
 */

import { SonicBoom } from 'sonic-boom';
import { errorMessage } from '../../base/errors.ts';
import { withTimeout } from '../../base/timing.ts';

/** Size of the buffer for a slow or full disk, in bytes. Further lines are dropped and counted. */
const MAX_BUFFERED_BYTES = 4 * 2 ** 20;
const STDERR = 2;
/** Time limit for the last write at shutdown, ms. */
const CLOSE_MS = 3_000;

export interface LogFile {
  /** Takes one line with its line break. Never throws. */
  write(line: string): void;
  /** Reopens the file, after a rotation. */
  reopen(): void;
  /** True from the first line that could not be written until all lines are. */
  failing(): boolean;
  /** Writes buffered lines and closes. Never rejects. */
  close(): Promise<void>;
}

export interface LogFileOptions {
  /** Absolute, or `stderr`. */
  readonly path: string;
  /** Reports a failure to the operator. */
  readonly log: (message: string) => void;
  /** Called for each lost line. */
  readonly onLost: () => void;
}

export function openLogFile({ path, log, onLost }: LogFileOptions): LogFile {
  const onStderr = path === 'stderr';
  let isFailing = false;
  const reportFailure = (reason: string) => {
    if (!isFailing) log(`The audit log ${path} cannot be written: ${reason}. Lines are buffered, then lost.`);
    isFailing = true;
  };
  const lost = (reason: string) => {
    onLost();
    reportFailure(reason);
  };
  const target = onStderr ? { dest: STDERR } : { dest: path, append: true, mkdir: true, mode: 0o640 };
  // Not `pino.destination`: it retries a full disk at exit, so the process would never end.
  const stream = new SonicBoom({ ...target, sync: false, maxLength: MAX_BUFFERED_BYTES });
  // Unwritten lines stay in the buffer; the next line retries them.
  stream.on('error', (error: Error) => reportFailure(error.message));
  stream.on('drop', () => lost('the buffer is full'));
  stream.on('drain', () => {
    isFailing = false;
  });
  const guarded = (use: () => void) => {
    try {
      use();
    } catch (error) {
      lost(errorMessage(error));
    }
  };
  return {
    failing: () => isFailing,
    write: (line) => guarded(() => stream.write(line)),
    reopen: () => guarded(() => onStderr || stream.reopen()),
    close() {
      const closed = new Promise<void>((resolve) => {
        stream.once('close', resolve);
        // The disk is still full, or the file never opened.
        stream.once('error', () => resolve());
        guarded(() => stream.end());
      });
      return withTimeout(closed, CLOSE_MS, () => {});
    },
  };
}
