/**
 * Real pipes for a child's output. Node.js gives children sockets, which `>/dev/stderr` cannot open; and of a pipe
 * whose reading end is ours, everything that was written can be read after the writers are dead.
 */

import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Pipe {
  /** For the child; closed by `handOver`. */
  readonly writeEnd: number;
  readonly reader: Socket;
  /** To be called once the child has its copy: the reader then ends with the last of the child's. */
  handOver(): void;
}

const run = promisify(execFile);

/** Named for a moment in a folder of its own: when this settles, nothing of them is left on the disk. */
export async function makePipes(count: number): Promise<Pipe[]> {
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-pipes-'));
  try {
    const paths = Array.from({ length: count }, (_, at) => join(folder, String(at)));
    // Others may write: the child may be another user, and opens it again by `/dev/stderr`. The folder is ours alone.
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
