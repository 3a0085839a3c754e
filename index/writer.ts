/**
 * Changes the index: one writer at a time, each commit atomic.
 *
 * The caller builds segments (`SegmentWriter`, in any thread) and passes them to `commit` with the removed keys. A
 * document in a new segment replaces an older one with the same key.
 */

import { compactionOf } from './compaction.ts';
import type { Directory } from './directory/directory.ts';
import { IndexError } from './errors.ts';
import { averagesOf } from './lexical/postings/bm25f.ts';
import {
  type HnswInfo,
  type IndexManifest,
  isLeftover,
  type LiveSegment,
  publishManifest,
  readManifest,
} from './manifest.ts';
import { SEGMENT_FORMAT, SEGMENT_SUFFIX, type SegmentInfo } from './segment/format.ts';
import { SegmentReader } from './segment/reader.ts';

/** The changes of a commit. */
interface Change {
  /** Finished segments, in the order in which to number their documents. */
  readonly segments: readonly SegmentInfo[];
  /** Keys to remove. Unknown keys are ignored. */
  readonly removed: readonly string[];
}

/** The settings with which an index must have been built to be continued. */
interface IndexSettings {
  readonly embedder: { readonly id: string; readonly dimensions: number };
  readonly recipe: string;
}

/** Time to wait for another writer, ms. */
const PATIENCE_MS = 30_000;

export class IndexWriter {
  readonly #directory: Directory;
  readonly #settings: IndexSettings;
  readonly #unlock: () => Promise<void>;
  #manifest: IndexManifest | null;
  /** The manifest on disk; another than `#manifest` between `continueFrom` and the next commit. */
  #committed: IndexManifest | null;

  /** Why the existing index could not be continued, or null. */
  readonly restarted: IndexError | null;

  /**
   * Becomes the only writer. Starts a new index if the existing one is damaged or has other settings (see `restarted`).
   */
  static async open(
    directory: Directory,
    settings: IndexSettings,
    patienceMs = PATIENCE_MS,
  ): Promise<IndexWriter> {
    const unlock = await directory.lock(patienceMs);
    try {
      return new IndexWriter(directory, settings, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  private constructor(directory: Directory, settings: IndexSettings, unlock: () => Promise<void>) {
    this.#directory = directory;
    this.#settings = settings;
    this.#unlock = unlock;
    const { manifest, refusal } = continuable(directory, settings);
    this.#manifest = manifest;
    this.#committed = manifest;
    this.restarted = refusal;
  }

  /** The writer's current generation; null before the first commit or after `restarted`. */
  get manifest(): IndexManifest | null {
    return this.#manifest;
  }

  /** Whether `manifest` is not on disk yet. */
  get isUncommitted(): boolean {
    return this.#manifest !== this.#committed;
  }

  /**
   * Continues another index instead of this one: takes over its files, so that the next commit changes what that index holds.
   * The other index must have the same settings, and its lock must be held. Throws `INDEX_MISSING` or `INDEX_WRITE`.
   */
  continueFrom(other: Directory, manifest: IndexManifest): void {
    for (const { name } of manifest.segments) this.#directory.take(other, name);
    if (manifest.hnsw !== null) this.#directory.take(other, manifest.hnsw.name);
    const segments = manifest.segments.map((segment) => ({ ...segment, shared: true }));
    this.#manifest = { ...manifest, segments };
  }

  /** Finished segments that were never committed, with the same settings: left by an interrupted run. */
  leftovers(): SegmentInfo[] {
    const known = [this.#manifest, this.#committed].flatMap((manifest) => manifest?.segments ?? []);
    const used = new Set(known.map((segment) => segment.name));
    return this.#directory
      .list()
      .filter((name) => name.endsWith(SEGMENT_SUFFIX) && !used.has(name))
      .flatMap((name) => this.#adoptable(name) ?? []);
  }

  /** Commits a new generation and returns it. */
  commit(change: Change): IndexManifest {
    const gone = new Set(change.removed);
    const added = change.segments.map((info): LiveSegment => ({ ...info, dead: [] }));
    const segments = [...(this.#manifest?.segments ?? []), ...added];
    return this.#publish({ segments: this.#markDead(segments, gone) });
  }

  /** Replaces all segments from number `from` on with `merged`, which must contain exactly their living documents. */
  replace(from: number, merged: SegmentInfo): IndexManifest {
    const before = this.#manifest?.segments.slice(0, from) ?? [];
    const segments = [...before, { ...merged, dead: [] }];
    // A new first segment changes the mean lengths and invalidates the graph.
    return this.#publish(from > 0 ? { segments } : { segments, hnsw: null, averagesOf: merged.name });
  }

  /** Adds a graph over the first segment. */
  attachHnsw(hnsw: HnswInfo): IndexManifest {
    return this.#publish({ segments: this.#manifest?.segments ?? [], hnsw });
  }

  /**
   * Number of the first segment that should be merged with all newer ones; null if none should (see `compaction.ts`).
   */
  get wantsCompaction(): number | null {
    return compactionOf(this.#manifest?.segments ?? []);
  }

  /** Removes the files of older generations and releases the lock. */
  async close(): Promise<void> {
    const manifest = this.#manifest;
    try {
      if (manifest !== null)
        for (const name of this.#directory.list())
          if (isLeftover(name, manifest)) this.#directory.remove(name);
    } finally {
      await this.#unlock();
    }
  }

  /** Releases the lock and keeps finished segments for the next writer to adopt. For failed runs. */
  async release(): Promise<void> {
    await this.#unlock();
  }

  /** Marks documents dead that are removed or replaced by a later segment. */
  #markDead(segments: readonly LiveSegment[], gone: ReadonlySet<string>): LiveSegment[] {
    const seen = new Set<string>(gone);
    const known = this.#manifest?.segments.length ?? 0;
    // Newest first: the newest segment wins.
    const result: LiveSegment[] = [];
    for (let at = segments.length - 1; at >= 0; at -= 1) {
      const segment = segments[at]!;
      const isNew = at >= known;
      const reader = new SegmentReader(this.#directory, segment.name);
      try {
        const dead = new Set(segment.dead);
        if (isNew) {
          for (let local = 0; local < segment.documents; local += 1) {
            const key = reader.key(local);
            if (seen.has(key)) dead.add(local);
            else seen.add(key);
          }
        } else {
          for (const key of seen)
            for (const local of reader.resolve(key)) if (reader.key(local) === key) dead.add(local);
        }
        result.unshift({ ...segment, dead: [...dead].sort((a, b) => a - b) });
      } finally {
        reader.close();
      }
    }
    return result.filter((segment) => segment.dead.length < segment.documents);
  }

  #publish(next: {
    segments: readonly LiveSegment[];
    hnsw?: HnswInfo | null;
    averagesOf?: string;
  }): IndexManifest {
    const before = this.#manifest;
    const first = next.segments[0]?.name;
    const hnsw = next.hnsw === undefined ? (before?.hnsw ?? null) : next.hnsw;
    const keepsAverages = before !== null && before.averages !== null && next.averagesOf === undefined;
    const manifest: IndexManifest = {
      format: SEGMENT_FORMAT,
      generation: newestGeneration(this.#directory) + 1,
      createdAt: new Date().toISOString(),
      embedder: this.#settings.embedder,
      recipe: this.#settings.recipe,
      segments: next.segments,
      averages: keepsAverages ? before.averages : first === undefined ? null : this.#averagesOf(first),
      hnsw: hnsw !== null && hnsw.segment === first ? hnsw : null,
    };
    publishManifest(this.#directory, manifest);
    this.#manifest = manifest;
    this.#committed = manifest;
    return manifest;
  }

  #averagesOf(name: string) {
    const reader = new SegmentReader(this.#directory, name);
    try {
      return averagesOf(reader.sections.uint32('lengths'));
    } finally {
      reader.close();
    }
  }

  #adoptable(name: string): SegmentInfo | null {
    try {
      const reader = new SegmentReader(this.#directory, name);
      try {
        const { meta } = reader;
        const fits = meta.embedder === this.#settings.embedder.id && meta.recipe === this.#settings.recipe;
        return fits
          ? { name, documents: meta.documents, passages: meta.passages, bytes: reader.sections.fileSize }
          : null;
      } finally {
        reader.close();
      }
    } catch {
      // A torn or older segment of a dead run is useless; `close` removes it.
      return null;
    }
  }
}

function continuable(
  directory: Directory,
  settings: IndexSettings,
): { manifest: IndexManifest | null; refusal: IndexError | null } {
  try {
    const manifest = readManifest(directory);
    if (manifest === null) return { manifest, refusal: null };
    const found = manifest.embedder.id;
    if (found !== settings.embedder.id)
      throw new IndexError(
        'INDEX_EMBEDDER',
        `The index was made with the model ${found}, but ${settings.embedder.id} is configured.`,
      );
    if (manifest.recipe !== settings.recipe)
      throw new IndexError(
        'INDEX_FORMAT',
        `The index was made with the recipe ${manifest.recipe}, but this version uses ${settings.recipe}.`,
      );
    for (const { name } of manifest.segments) new SegmentReader(directory, name).close();
    return { manifest, refusal: null };
  } catch (error) {
    if (error instanceof IndexError) return { manifest: null, refusal: error };
    throw error;
  }
}

/** Highest generation on disk, even of a damaged index: numbers are never reused. */
function newestGeneration(directory: Directory): number {
  const numbers = directory.list().map((name) => Number(/^manifest-(\d+)\.json$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
