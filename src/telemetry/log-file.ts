/**
 * Where lines of a log go: a file that is appended to and opened anew when the platform has moved it away, or stderr.
 * A full disk, or a folder that vanished, is counted and said once: it never stops the server.
 */

import { pino } from 'pino';

/** Lines that wait for a slow or full disk, bytes: further ones are dropped, and counted. */
const MAX_WAITING_BYTES = 4 * 2 ** 20;
const STDERR = 2;
/** Longest wait for a slow disk at the end, ms. */
const CLOSE_MS = 3_000;

export interface LogFile {
  /** Takes one line with its end. Never throws. */
  write(line: string): void;
  /** Opens the file anew, after a rotation. */
  reopen(): void;
  /** Writes what waits, and closes. Never rejects. */
  close(): Promise<void>;
}

export interface LogFileOptions {
  /** Absolute, or `stderr`. */
  readonly path: string;
  /** Writes one line for the operator. */
  readonly log: (message: string) => void;
  /** Told of each line that was lost. */
  readonly onLost: () => void;
}

export function openLogFile({ path, log, onLost }: LogFileOptions): LogFile {
  const onStderr = path === 'stderr';
  let complained = false;
  const complain = (reason: string) => {
    if (!complained)
      log(`The audit log ${path} cannot be written: ${reason}. Lines wait in memory, then they are lost.`);
    complained = true;
  };
  const lost = (reason: string) => {
    onLost();
    complain(reason);
  };
  const target = onStderr ? { dest: STDERR } : { dest: path, append: true, mkdir: true, mode: 0o640 };
  const stream = pino.destination({ ...target, sync: false, maxLength: MAX_WAITING_BYTES });
  // What could not be written stays, and is tried again with the next line.
  stream.on('error', (error: Error) => complain(error.message));
  stream.on('drop', () => lost('too much waits already'));
  stream.on('drain', () => {
    complained = false;
  });
  const guarded = (use: () => void) => {
    try {
      use();
    } catch (error) {
      lost(error instanceof Error ? error.message : String(error));
    }
  };
  return {
    write: (line) => guarded(() => stream.write(line)),
    reopen: () => guarded(() => onStderr || stream.reopen()),
    close: () =>
      new Promise((resolve) => {
        stream.once('close', resolve);
        // A disk that is still full, or a file that never opened: nothing more can be done.
        stream.once('error', () => resolve());
        setTimeout(resolve, CLOSE_MS).unref();
        guarded(() => stream.end());
      }),
  };
}
