/**
 * A library whose index another process writes: it only opens the generation that its directory holds, and asks for a newer one
 * where `library.ts` would look at folders. Getting files into the directory is the caller's.
 */

import type { Directory } from '../../../index/directory/directory.ts';
import { IndexError } from '../../../index/errors.ts';
import type {
  CatalogEntry,
  Embedder,
  Precedence,
  ReadableFile,
  Searchable,
  ServedLibrary,
  VectorMode,
} from '../../../src/app/extension-api.ts';
import { readGeneration } from '../../../src/catalog/indexing/damage.ts';
import { Snapshots } from '../../../src/catalog/snapshots.ts';
import { type CatalogSummary, summarise } from '../../../src/catalog/summary.ts';

export interface ReplicaOptions {
  readonly directory: Directory;
  readonly embedder: Embedder;
  readonly vectors: VectorMode;
  /** The sources in order of precedence, as every gateway has them configured. */
  readonly sources: readonly { readonly name: string; readonly isLocal: boolean }[];
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly pins?: readonly string[];
  /** Brings the newest generation into the directory, if there is a newer one. Rejects where it cannot be had. */
  readonly fetch: () => Promise<void>;
  /** The next `fetch` checks all files again: one that is held was found damaged. */
  readonly invalidateCopy: () => void;
  readonly filesOf: (entry: Pick<CatalogEntry, 'digest'>) => Promise<readonly ReadableFile[]>;
}

export class Replica implements ServedLibrary {
  /** Changes are announced or asked for; no call waits for a check. */
  readonly isWatched = true;
  readonly #options: ReplicaOptions;
  readonly #snapshots: Snapshots;
  readonly #precedence: Precedence;
  #fetching: Promise<void> | null = null;
  #summary: { readonly generation: number; readonly made: Promise<CatalogSummary> } | null = null;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#snapshots = new Snapshots(options);
    this.#precedence = new Map(options.sources.map(({ name }, at) => [name, at]));
  }

  /** A source that is not configured here was fetched by another gateway. */
  originOf(source: string): 'local' | 'fetched' {
    return this.#options.sources.some(({ name, isLocal }) => name === source && isLocal)
      ? 'local'
      : 'fetched';
  }

  get isOpen(): boolean {
    return this.#snapshots.current !== null;
  }

  get pins(): readonly string[] | undefined {
    return this.#options.pins;
  }

  /** The generation that answers; null before one is open. */
  get generation(): number | null {
    return this.#snapshots.current?.manifest.generation ?? null;
  }

  /** The generation that is held, fetched first only where none is. */
  async current(): Promise<Searchable> {
    if (this.#snapshots.current === null) this.#open();
    if (this.#snapshots.current === null) await this.refresh();
    const reader = this.#snapshots.current;
    if (reader === null)
      throw new IndexError(
        'INDEX_MISSING',
        'No generation of the index has been published yet. The gateway that writes is still indexing, or there is none: see skillgate store status.',
      );
    const { embedder, now } = this.#options;
    return { reader, embedder, now, precedence: this.#precedence };
  }

  filesOf(entry: Pick<CatalogEntry, 'digest'>): Promise<readonly ReadableFile[]> {
    return this.#options.filesOf(entry);
  }

  async summary(): Promise<CatalogSummary> {
    const { reader } = await this.current();
    const { generation } = reader.manifest;
    if (this.#summary?.generation !== generation)
      this.#summary = { generation, made: summarise(reader, this.pins) };
    return this.#summary.made;
  }

  onChange(listener: (generation: number) => void): () => void {
    return this.#snapshots.onChange(listener);
  }

  /** Fetches what is new, in the background. */
  notice(): void {
    // `refresh` reports its failures to those who wait for it, and the next one tries again.
    this.refresh().catch(() => {});
  }

  /** Fetches what is new and switches to it, or joins the active fetch. The held generation answers meanwhile. */
  refresh(): Promise<void> {
    this.#fetching ??= this.#refresh().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  /** Fetches all files again: one of those held failed its checksum. */
  async rebuild(error: IndexError): Promise<void> {
    this.#snapshots.markDamaged(error);
    this.#options.invalidateCopy();
    await this.refresh();
  }

  async close(): Promise<void> {
    await this.#fetching?.catch(() => {});
    this.#snapshots.close();
  }

  async #refresh(): Promise<void> {
    await this.#options.fetch();
    if (this.#snapshots.current === null) this.#open();
    else this.#snapshots.adopt();
  }

  #open(): void {
    if (readGeneration(this.#options.directory) === null) return;
    this.#snapshots.open();
    const reader = this.#snapshots.current;
    if (reader === null) return;
    const { manifest, documents } = reader;
    this.#options.log(`The shared catalog is open: generation ${manifest.generation}, ${documents} skills.`);
  }
}
