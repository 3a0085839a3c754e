/** A directory on disk. Each file is written under a temporary name, flushed, and renamed into place. */

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  write,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { IndexError } from '../errors.ts';
import { type Directory, type FileSink, type OpenFile, readWhole, writeWhole } from './directory.ts';

const writeBytes = promisify(write);

/** Suffix of files that are not visible yet. */
const TEMPORARY = '.writing';

/** Opening a FIFO would otherwise wait for a writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Takes the lock of that path, in a folder that exists; the result gives it back. Rejects with the code `ELOCKED` when patience
 * ends, or with the system's error.
 */
type LockFile = (path: string, options: { readonly patienceMs: number }) => Promise<() => Promise<void>>;

interface DiskOptions {
  /** How a writer excludes other processes. Without it, the directory is for readers. */
  readonly lock?: LockFile;
  /** The permissions of its files, less the umask. */
  readonly mode?: number;
}

/** The first write creates the folder, so opening a missing index leaves nothing behind. */
export function diskDirectory(folder: string, { lock, mode = 0o666 }: DiskOptions = {}): Directory {
  return {
    list() {
      return names(folder).filter((name) => !name.endsWith(TEMPORARY) && name !== 'lock');
    },
    open: (name) => openFile(join(folder, name)),
    create(name) {
      orWriteError(folder, () => mkdirSync(folder, { recursive: true }));
      return createFile(folder, name, mode);
    },
    remove: (name) => rmSync(join(folder, name), { force: true }),
    take: (from, name) => take(folder, from, name),
    async lock(patienceMs) {
      orWriteError(folder, () => mkdirSync(folder, { recursive: true }));
      const release = await acquire(folder, patienceMs, lock);
      for (const name of names(folder))
        if (name.endsWith(TEMPORARY) && !isOwn(name)) rmSync(join(folder, name), { force: true });
      return release;
    },
    pathOf: (name) => join(folder, name),
  };
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return [];
    throw new IndexError('INDEX_MISSING', `The index folder ${folder} cannot be read: ${messageOf(cause)}.`, {
      cause,
    });
  }
}

function openFile(path: string): OpenFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, READ);
  } catch (cause) {
    throw new IndexError('INDEX_MISSING', `The index file ${path} cannot be opened: ${messageOf(cause)}.`, {
      cause,
    });
  }
  const found = fstatSync(descriptor);
  if (!found.isFile()) {
    closeSync(descriptor);
    const message = `The index file ${path} is not a regular file. Remove it; the index is then rebuilt.`;
    throw new IndexError('INDEX_DAMAGED', message);
  }
  const { size } = found;
  let open = true;
  return {
    size,
    readInto(offset, target) {
      for (let done = 0; done < target.length; ) {
        const count = readSync(descriptor, target, done, target.length - done, offset + done);
        if (count === 0)
          throw new IndexError('INDEX_DAMAGED', `The index file ${path} ends at byte ${offset + done}.`);
        done += count;
      }
    },
    close() {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
}

function take(folder: string, from: Directory, name: string): void {
  const path = from.pathOf(name);
  orWriteError(folder, () => mkdirSync(folder, { recursive: true }));
  try {
    if (path === null) throw new Error('It is on no disk.');
    rmSync(join(folder, name), { force: true });
    linkSync(path, join(folder, name));
  } catch {
    // Some file systems have no hard links, and none reach another disk.
    writeWhole(diskDirectory(folder), name, readWhole(from, name));
  }
}

/** Temporary names contain the process id: a new writer removes the leftovers of dead writers but not its own files. */
const own = `.${process.pid}${TEMPORARY}`;
const isOwn = (name: string) => name.endsWith(own);

function createFile(folder: string, name: string, mode: number): FileSink {
  const temporary = join(folder, `${name}${own}`);
  const descriptor = orWriteError(folder, () => openSync(temporary, 'w', mode));
  let state: 'open' | 'done' = 'open';
  let end = 0;
  const writeAt = (position: number, bytes: Uint8Array) => {
    orWriteError(folder, () => {
      for (let done = 0; done < bytes.length; )
        done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
    });
    end = Math.max(end, position + bytes.length);
  };
  const writeAsync = async (position: number, bytes: Uint8Array) => {
    if (state === 'done') throw writeError(folder, new Error(`${name} is no longer being written`));
    end = Math.max(end, position + bytes.length);
    try {
      for (let done = 0; done < bytes.length; )
        done += (await writeBytes(descriptor, bytes, done, bytes.length - done, position + done))
          .bytesWritten;
    } catch (error) {
      throw writeError(folder, error);
    }
  };
  return {
    write: (bytes) => writeAt(end, bytes),
    writeAt,
    writeAsync,
    commit() {
      orWriteError(folder, () => {
        fsyncSync(descriptor);
        closeSync(descriptor);
        state = 'done';
        renameSync(temporary, join(folder, name));
        flushFolder(folder);
      });
    },
    abandon() {
      if (state === 'open') {
        state = 'done';
        closeSync(descriptor);
        rmSync(temporary, { force: true });
      }
    },
  };
}

/** Makes a rename durable. Windows cannot open folders and needs no flush. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function acquire(
  folder: string,
  patienceMs: number,
  lock: LockFile = async () => Promise.reject(new Error('It was opened without a lock')),
): Promise<() => Promise<void>> {
  try {
    return await lock(join(folder, 'lock'), { patienceMs });
  } catch (cause) {
    if (isCode(cause, 'ELOCKED'))
      throw new IndexError(
        'INDEX_LOCKED',
        `Another process is writing the index in ${folder}. Wait for it to finish, or use another --index folder.`,
        { cause },
      );
    const message = `The index folder ${folder} cannot be locked: ${messageOf(cause)}.`;
    throw new IndexError('INDEX_WRITE', message, { cause });
  }
}

/** Runs `effect` and turns its failure into `INDEX_WRITE`. */
function orWriteError<T>(folder: string, effect: () => T): T {
  try {
    return effect();
  } catch (cause) {
    throw writeError(folder, cause);
  }
}

function writeError(folder: string, cause: unknown): IndexError {
  const isFile = isCode(cause, 'EEXIST') || isCode(cause, 'ENOTDIR');
  const reason = isFile ? 'It is a file: give a folder' : messageOf(cause);
  return new IndexError(
    'INDEX_WRITE',
    `The index folder ${folder} cannot be written: ${reason}. The previous index is untouched.`,
    { cause },
  );
}

const isCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
