/**
 * Where an index lives: a flat set of named, immutable files. Two implementations, `disk.ts` and `memory.ts`,
 * pass the same contract suite. What the files mean is the affair of `segment/` and `manifest.ts`.
 */

/** An open file. It stays readable after the file was removed from its directory. */
export interface OpenFile {
  /** Bytes. */
  readonly size: number;
  /** Fills `target` from `offset` on; throws `INDEX_DAMAGED` where the file ends before that. */
  readInto(offset: number, target: Uint8Array): void;
  close(): void;
}

/** A file being written. Nobody sees it under its name before `commit`. */
export interface FileSink {
  /** Appends. */
  write(bytes: Uint8Array): void;
  /** Writes from byte `position` on; the end moves there where it was before. What is never written is zero. */
  writeAt(position: number, bytes: Uint8Array): void;
  /** Makes the file durable and visible, at once and whole. */
  commit(): void;
  /** Leaves no trace. Safe after `commit`. */
  abandon(): void;
}

export interface Directory {
  /** Names of the visible files, sorted. */
  list(): string[];
  /** Throws `INDEX_MISSING` where there is no such file. */
  open(name: string): OpenFile;
  /** Throws `INDEX_WRITE` here or in the sink where the medium refuses. An existing file is replaced on commit. */
  create(name: string): FileSink;
  /** Nothing happens where there is no such file. */
  remove(name: string): void;
  /**
   * Waits up to `patienceMs` to become the only writer, then throws `INDEX_LOCKED`. Returns how to stop being it.
   * A writer that died counts as gone after ten seconds.
   */
  lock(patienceMs: number): Promise<() => Promise<void>>;
  /** Absolute path of a file for native code that opens files itself; null where there is none. */
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
