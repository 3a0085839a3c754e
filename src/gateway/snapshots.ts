/** The snapshot that answers: opened, replaced by the next generation, and closed when searches have let go of it. */

import { type Directory, type Embedder, IndexError, Reader, type VectorMode } from '#index';
import { discardIndex, generationOf, isDamage } from '../indexing/damage.ts';

/** A replaced snapshot is closed after this time, ms: no search takes nearly as long. */
const GRACE_MS = 60_000;

export interface SnapshotsOptions {
  readonly directory: Directory;
  readonly embedder: Embedder;
  readonly vectors: VectorMode;
  readonly log: (message: string) => void;
}

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #listeners = new Set<(generation: number) => void>();
  /** Replaced snapshots that searches may still be reading, with the timer that closes each. */
  readonly #retired = new Map<Reader, NodeJS.Timeout>();
  #reader: Reader | null = null;
  /** Generation that was found damaged and must not be continued. */
  #damaged: number | null = null;
  #closed = false;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  get current(): Reader | null {
    return this.#reader;
  }

  get generation(): number | undefined {
    return this.#reader?.manifest.generation;
  }

  /** Opens the index on disk, if there is a usable one. */
  open(): void {
    if (this.#closed) return;
    try {
      this.#reader = this.#readerOfDisk();
    } catch (error) {
      if (!(error instanceof IndexError)) throw error;
      this.#options.log(`${error.message} The index is made again.`);
    }
  }

  /**
   * Takes up the generation on disk, where it is another than the present one. Throws `IndexError` where it cannot be
   * served: the present one goes on answering, and no run goes on from what is damaged.
   */
  adopt(): void {
    if (this.#closed || generationOf(this.#options.directory) === this.generation) return;
    const old = this.#reader;
    this.#reader = this.#readerOfDisk();
    if (old !== null) this.#retire(old);
    if (this.generation !== undefined) for (const listener of this.#listeners) listener(this.generation);
  }

  /** What was read of the present snapshot failed its check: it answers no more. */
  condemn(error: IndexError): void {
    if (this.#reader === null) return;
    this.#damaged = this.#reader.manifest.generation;
    this.#options.log(`${error.message} The index is made again.`);
    this.#retire(this.#reader);
    this.#reader = null;
  }

  /** Takes what was found damaged off the disk, so that no run goes on from it. */
  async discardDamaged(): Promise<void> {
    if (this.#damaged !== null) await discardIndex(this.#options.directory, this.#damaged);
    this.#damaged = null;
  }

  onChange(listener: (generation: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets go of all files: searches under way may fail. */
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

  /** Leaves nothing open where it throws. */
  #readerOfDisk(): Reader | null {
    const { directory, embedder, vectors } = this.#options;
    const generation = generationOf(directory);
    let next: Reader | null = null;
    try {
      next = Reader.open(directory, { embedder, vectors }, this.#reader);
      // Taken over from the present one, or read before anybody asks. Where there is none, the first search reads them,
      // and a run that only indexes never does.
      if (this.#reader !== null) next?.readVectors();
      return next;
    } catch (error) {
      next?.close();
      if (!isDamage(error)) throw error;
      // Another process may have replaced the generation between its manifest and its segments.
      if (generationOf(directory) !== generation) return this.#readerOfDisk();
      this.#damaged = generation;
      throw error;
    }
  }

  /** Searches under way keep the old snapshot: it is closed once the last of them must have let go. */
  #retire(reader: Reader): void {
    const close = () => {
      this.#retired.delete(reader);
      reader.close();
    };
    this.#retired.set(reader, setTimeout(close, GRACE_MS).unref());
  }
}
