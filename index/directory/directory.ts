/**
 * Where an index is stored: a flat set of named, immutable files. `disk.ts` and `memory.ts` implement it and pass the
 * same contract suite. `segment/` and `manifest.ts` define what the files contain.
 */

import { IndexError } from '../errors.ts';

/** An open file. It stays readable after its removal from the directory. */
export interface OpenFile {
  /** Bytes. */
  readonly size: number;
  /** Fills `target` with the bytes from `offset` on. Throws `INDEX_DAMAGED` if the file ends before that. */
  readInto(offset: number, target: Uint8Array): void;
  close(): void;
}

/** A file that is being written. It is not visible under its name before `commit`. */
export interface FileSink {
  /** Appends. */
  write(bytes: Uint8Array): void;
  /** Writes at byte `position` and extends the file if needed. Bytes that are never written are zero. */
  writeAt(position: number, bytes: Uint8Array): void;
  /**
   * As `writeAt`, and leaves this thread free meanwhile. Until it resolves, the bytes must not change and the file must not be committed or
   * abandoned. Rejects with `INDEX_WRITE`, also where that was done before.
   */
  writeAsync(position: number, bytes: Uint8Array): Promise<void>;
  /** Makes the file durable and visible, atomically. */
  commit(): void;
  /** Discards the file. Does nothing after `commit`. */
  abandon(): void;
}

export interface Directory {
  /** Names of the visible files, sorted. */
  list(): string[];
  /** Throws `INDEX_MISSING` if there is no such file. */
  open(name: string): OpenFile;
  /**
   * Creates or, on commit, replaces a file. This method and the sink throw `INDEX_WRITE` if the medium refuses a write.
   */
  create(name: string): FileSink;
  /** Does nothing if there is no such file. */
  remove(name: string): void;
  /**
   * Makes a file of another directory one of this directory, under the same name: as a second name of the same bytes where the
   * medium can do that, else as a copy. Later removals and replacements of one do not change the other. Throws `INDEX_MISSING`
   * or `INDEX_WRITE`.
   */
  take(from: Directory, name: string): void;
  /**
   * Waits up to `patienceMs` to become the only writer, then throws `INDEX_LOCKED`. Returns the release function. The
   * lock of a dead writer expires after ten seconds.
   */
  lock(patienceMs: number): Promise<() => Promise<void>>;
  /** Absolute path of a file, for native code that opens files itself; null if the directory has none. */
  pathOf(name: string): string | null;
}

/** The whole content of a small file. */
export function readWhole(directory: Directory, name: string): Uint8Array {
  const file = directory.open(name);
  try {
    const bytes = new Uint8Array(file.size);
    file.readInto(0, bytes);
    return bytes;
  } finally {
    file.close();
  }
}

/** Writes or replaces a small file in one step. */
export function writeWhole(directory: Directory, name: string, bytes: Uint8Array): void {
  const sink = directory.create(name);
  try {
    sink.write(bytes);
    sink.commit();
  } finally {
    sink.abandon();
  }
}

/** The value of a small JSON file; undefined where there is none, or it cannot be read. */
export function readJson(directory: Directory, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(readWhole(directory, name)));
  } catch (error) {
    if (error instanceof IndexError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function writeJson(directory: Directory, name: string, value: unknown): void {
  writeWhole(directory, name, new TextEncoder().encode(JSON.stringify(value)));
}

/** For what only saves time at the next start: a full or read-only disk is no failure. */
export function writeJsonIfPossible(directory: Directory, name: string, value: unknown): void {
  try {
    writeJson(directory, name, value);
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
  }
}
