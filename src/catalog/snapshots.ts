/** The index snapshot that answers calls: opened, replaced by the next generation, closed after its last search. */

import { IndexError } from '../../index/errors.ts';
import { identityOf } from '../../index/manifest.ts';
import { Reader } from '../../index/reader/reader.ts';
import { committedIn, discardIndex, isDamage } from './indexing/damage.ts';
import type { LibraryOptions } from './indexing/options.ts';

/** A replaced snapshot is closed after this time, ms: far longer than any search takes. */
const GRACE_MS = 60_000;

type SnapshotsOptions = Pick<LibraryOptions, 'directory' | 'embedder' | 'vectors' | 'log'>;

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #listeners = new Set<(generation: number) => void>();
  /** Replaced snapshots that searches may still read, with the timer that closes each. */
  readonly #retired = new Map<Reader, NodeJS.Timeout>();
  #reader: Reader | null = null;
  /** A generation that was found damaged: no run may continue from it. */
  #damaged: string | null = null;
  #closed = false;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  get current(): Reader | null {
    return this.#reader;
  }

  /** Identity of the present generation; null without one. */
  get identity(): string | null {
    return this.#reader === null ? null : identityOf(this.#reader.manifest);
  }

  /** Opens the index on disk if it is usable. */
  open(): void {
    if (this.#closed) return;
    try {
      this.#reader = this.#readerOfDisk();
    } catch (error) {
      if (!(error instanceof IndexError)) throw error;
      this.#options.log(`${error.message} The index is rebuilt.`);
    }
  }

  /**
   * Switches to the generation on disk if it is not the present one. Throws `IndexError` where it cannot be served: the
   * present one keeps answering, and no run continues from a damaged one.
   */
  adopt(): void {
    if (this.#closed || committedIn(this.#options.directory) === this.identity) return;
    const old = this.#reader;
    this.#reader = this.#readerOfDisk();
    if (old !== null) this.#retire(old);
    const generation = this.#reader?.manifest.generation;
    if (generation !== undefined) for (const listener of this.#listeners) listener(generation);
  }

  /** Data of the present snapshot failed its checksum: it does not answer any more. */
  markDamaged(error: IndexError): void {
    if (this.#reader === null) return;
    this.#damaged = this.identity;
    this.#options.log(`${error.message} The index is rebuilt.`);
    this.#retire(this.#reader);
    this.#reader = null;
  }

  /** Removes a damaged generation from disk, so that no run continues from it. */
  async discardDamaged(): Promise<void> {
    if (this.#damaged !== null) await discardIndex(this.#options.directory, this.#damaged);
    this.#damaged = null;
  }

  onChange(listener: (generation: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Closes all files: active searches may fail. */
  close(): void {
    this.#closed = true;
    if (this.#reader !== null) this.#retire(this.#reader);
    this.#reader = null;
    for (const [reader, timer] of this.#retired) {
      clearTimeout(timer);
      reader.close();
    }
    this.#retired.clear();
  }

  /** Closes what it opened where it throws. */
  #readerOfDisk(): Reader | null {
    const { directory, embedder, vectors } = this.#options;
    const committed = committedIn(directory);
    let next: Reader | null = null;
    try {
      next = Reader.open(directory, { embedder, vectors }, this.#reader);
      // Taken from the present snapshot, or read before the next search. Without a present one, the first search reads
      // the vectors, and a process that only indexes never does.
      if (this.#reader !== null) next?.readVectors();
      return next;
    } catch (error) {
      next?.close();
      if (!isDamage(error)) throw error;
      // Another process may have replaced the generation between its manifest and its segments.
      if (committedIn(directory) !== committed) return this.#readerOfDisk();
      this.#damaged = committed;
      throw error;
    }
  }

  /** Active searches keep the old snapshot, so it is closed later. */
  #retire(reader: Reader): void {
    const close = () => {
      this.#retired.delete(reader);
      reader.close();
    };
    this.#retired.set(reader, setTimeout(close, GRACE_MS).unref());
  }
}
