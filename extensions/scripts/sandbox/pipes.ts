/**
 * Real pipes for a child's output, and what arrives by them, up to a limit. Node.js gives children sockets, which `>/dev/stderr`
 * cannot open. And everything written to a pipe can still be read after its writers are dead.
 */

import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

interface Pipe {
  /** For the child; `handOver` closes it. */
  readonly writeEnd: number;
  readonly reader: Socket;
  /** Call this once the child has its copy: the reader then ends when the child's last copy closes. */
  handOver(): void;
}

const run = promisify(execFile);

/** Creates the pipes in a private folder and removes their names again before it settles. */
export async function makePipes(count: number): Promise<Pipe[]> {
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-pipes-'));
  try {
    const paths = Array.from({ length: count }, (_, at) => join(folder, String(at)));
    // Writable for others: the child may be another user and may open it again as `/dev/stderr`. The folder is
    // private.
    await run('mkfifo', ['-m', '622', ...paths], { env: { PATH: '/usr/bin:/bin' } });
    return paths.map(opened);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function opened(path: string): Pipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writeEnd: number | null = openSync(path, constants.O_WRONLY);
  const reader = new Socket({ fd: readEnd, readable: true, writable: false });
  return {
    writeEnd,
    reader,
    handOver() {
      if (writeEnd !== null) closeSync(writeEnd);
      writeEnd = null;
    },
  };
}

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
