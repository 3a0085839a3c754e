/**
 * Changing the index: one writer at a time, each commit all or nothing.
 *
 * The caller builds segments (`SegmentWriter`, in any thread) and hands them to `commit` together with the keys
 * that went away. A document of a new segment replaces an older one of the same key.
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

/** What a commit changes. */
export interface Change {
  /** Finished segments, in the order in which their documents shall be numbered. */
  readonly segments: readonly SegmentInfo[];
  /** Keys that leave the index. Unknown ones are ignored. */
  readonly removed: readonly string[];
}

/** What an index must have been made with to be continued. */
export interface Making {
  readonly embedder: { readonly id: string; readonly dimensions: number };
  readonly recipe: string;
}

/** Waiting for another writer, ms. */
const PATIENCE_MS = 30_000;

export class IndexWriter {
  readonly #directory: Directory;
  readonly #making: Making;
  readonly #unlock: () => Promise<void>;
  #manifest: IndexManifest | null;

  /** Why an existing index could not be continued, or null. */
  readonly restarted: IndexError | null;

  /** Becomes the only writer. An index that is damaged or made otherwise is started afresh (see `restarted`). */
  static async open(directory: Directory, making: Making, patienceMs = PATIENCE_MS): Promise<IndexWriter> {
    const unlock = await directory.lock(patienceMs);
    try {
      return new IndexWriter(directory, making, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  private constructor(directory: Directory, making: Making, unlock: () => Promise<void>) {
    this.#directory = directory;
    this.#making = making;
    this.#unlock = unlock;
    const { manifest, refusal } = continuable(directory, making);
    this.#manifest = manifest;
    this.restarted = refusal;
  }

  /** The generation in force for this writer; null before the first commit or after `restarted`. */
  get manifest(): IndexManifest | null {
    return this.#manifest;
  }

  /** Finished segments that no commit took: what an interrupted run left, made the same way. */
  leftovers(): SegmentInfo[] {
    const used = new Set(this.#manifest?.segments.map((segment) => segment.name));
    return this.#directory
      .list()
      .filter((name) => name.endsWith(SEGMENT_SUFFIX) && !used.has(name))
      .flatMap((name) => this.#adoptable(name) ?? []);
  }

  /** Puts a new generation in force. Returns it. */
  commit(change: Change): IndexManifest {
    const gone = new Set(change.removed);
    const added = change.segments.map((info): LiveSegment => ({ ...info, dead: [] }));
    const segments = [...(this.#manifest?.segments ?? []), ...added];
    return this.#publish({ segments: this.#bury(segments, gone) });
  }

  /** Puts `merged`, made of exactly the living documents of all segments from number `from` on, in their place. */
  replace(from: number, merged: SegmentInfo): IndexManifest {
    const before = this.#manifest?.segments.slice(0, from) ?? [];
    const segments = [...before, { ...merged, dead: [] }];
    // What the first segment is made of decides the mean lengths, and what the graph is over.
    return this.#publish(from > 0 ? { segments } : { segments, hnsw: null, averagesOf: merged.name });
  }

  /** Adds a graph over the first segment. */
  attachHnsw(hnsw: HnswInfo): IndexManifest {
    return this.#publish({ segments: this.#manifest?.segments ?? [], hnsw });
  }

  /** Number of the first of the newest segments that should be merged; null where none should (see `compaction.ts`). */
  get wantsCompaction(): number | null {
    return compactionOf(this.#manifest?.segments ?? []);
  }

  /** Removes the files of older generations, then lets the next writer in. */
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

  /** Lets the next writer in and keeps finished segments for it to adopt: the way out of a failed run. */
  async release(): Promise<void> {
    await this.#unlock();
  }

  /** Marks every document dead that a later segment replaces or that is gone. */
  #bury(segments: readonly LiveSegment[], gone: ReadonlySet<string>): LiveSegment[] {
    const seen = new Set<string>(gone);
    const known = this.#manifest?.segments.length ?? 0;
    // Nothing can be replaced by an empty change; and the newest segment decides, so walk backwards.
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
      embedder: this.#making.embedder,
      recipe: this.#making.recipe,
      segments: next.segments,
      averages: keepsAverages ? before.averages : first === undefined ? null : this.#averagesOf(first),
      hnsw: hnsw !== null && hnsw.segment === first ? hnsw : null,
    };
    publishManifest(this.#directory, manifest);
    this.#manifest = manifest;
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
        const fits = meta.embedder === this.#making.embedder.id && meta.recipe === this.#making.recipe;
        return fits
          ? { name, documents: meta.documents, passages: meta.passages, bytes: reader.sections.fileSize }
          : null;
      } finally {
        reader.close();
      }
    } catch {
      // A torn or older segment of a run that died is worth nothing; closing the writer removes it.
      return null;
    }
  }
}

function continuable(
  directory: Directory,
  making: Making,
): { manifest: IndexManifest | null; refusal: IndexError | null } {
  try {
    const manifest = readManifest(directory);
    if (manifest === null) return { manifest, refusal: null };
    const found = manifest.embedder.id;
    if (found !== making.embedder.id)
      throw new IndexError(
        'INDEX_EMBEDDER',
        `The index was made with the model ${found}, now ${making.embedder.id} is asked for.`,
      );
    if (manifest.recipe !== making.recipe)
      throw new IndexError(
        'INDEX_FORMAT',
        `The index was made by the recipe ${manifest.recipe}, now it is ${making.recipe}.`,
      );
    for (const { name } of manifest.segments) new SegmentReader(directory, name).close();
    return { manifest, refusal: null };
  } catch (error) {
    if (error instanceof IndexError) return { manifest: null, refusal: error };
    throw error;
  }
}

/** Highest generation on record, even of a damaged index: numbers are never used twice. */
function newestGeneration(directory: Directory): number {
  const numbers = directory.list().map((name) => Number(/^manifest-(\d+)\.json$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
