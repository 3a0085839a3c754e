/**
 * The heavy work of indexing, as values that can be sent to a worker thread: build a segment from skill folders, merge
 * segments, build an HNSW graph. A task writes only files that no manifest contains yet; `run.ts` commits them.
 */

import { createHash } from 'node:crypto';
import type { Directory } from '../../../index/directory/directory.ts';
import type { Embedder } from '../../../index/embedder.ts';
import type { FieldAverages } from '../../../index/lexical/postings/bm25f.ts';
import type { HnswInfo } from '../../../index/manifest.ts';
import type { IndexDocument } from '../../../index/passage.ts';
import type { SegmentInfo } from '../../../index/segment/format.ts';
import { writeHnsw } from '../../../index/segment/graph.ts';
import { mergeSegments } from '../../../index/segment/merge.ts';
import { SegmentReader } from '../../../index/segment/reader.ts';
import { SegmentWriter } from '../../../index/segment/writer.ts';
import { takeTurns } from '../../base/timing.ts';
import { digestOf, readDocument } from '../../search/passages/document.ts';
import { withLanguages } from '../../search/passages/languages.ts';
import type { Diagnostic } from '../../skills/skill.ts';
import type { SkillFolder } from '../../sources/source.ts';

/** Documents embedded at once: large enough for a model's batches, small enough to bound memory. */
const BATCH_DOCUMENTS = 64;

interface BuildTask {
  readonly kind: 'build';
  /** File name of the new segment. */
  readonly name: string;
  readonly recipe: string;
  readonly averages: FieldAverages | null;
  /** Each with the digest that the index holds, or null. */
  readonly folders: readonly { readonly folder: SkillFolder; readonly known: string | null }[];
}

interface MergeTask {
  readonly kind: 'merge';
  readonly name: string;
  /** Null computes the mean field lengths from the merged documents. */
  readonly averages: FieldAverages | null;
  readonly segments: readonly {
    readonly name: string;
    readonly documents: number;
    readonly dead: readonly number[];
  }[];
}

interface HnswTask {
  readonly kind: 'hnsw';
  readonly segment: string;
  readonly name: string;
}

export type Task = BuildTask | MergeTask | HnswTask;

/**
 * The outcome of a folder: `built` into the new segment, `same` as in the index, which has no diagnostics, or `empty` where there is
 * nothing to index (disabled or unreadable; a diagnostic says which).
 */
export interface FolderOutcome {
  readonly id: string;
  readonly outcome: 'built' | 'same' | 'empty';
  readonly digest: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

interface BuildResult {
  /** Null where no folder had to be built. */
  readonly segment: SegmentInfo | null;
  readonly outcomes: readonly FolderOutcome[];
}

/** Results by kind of task. An HNSW task gives null where hnswlib-node is not installed. */
export interface TaskResults {
  readonly build: BuildResult;
  readonly merge: SegmentInfo;
  readonly hnsw: HnswInfo | null;
}

/** Receives the number of folders, documents or vectors done since the last call. */
export type Advance = (done: number) => void;

/** Runs one task. Only build tasks open the embedder. */
export async function performTask(
  task: Task,
  directory: Directory,
  embedder: () => Embedder | Promise<Embedder>,
  advance: Advance,
): Promise<TaskResults[Task['kind']]> {
  switch (task.kind) {
    case 'build':
      return build(task, directory, await embedder(), advance);
    case 'merge':
      return merge(task, directory);
    case 'hnsw':
      return writeHnsw(directory, task.segment, task.name, advance);
  }
}

async function build(
  task: BuildTask,
  directory: Directory,
  embedder: Embedder,
  advance: Advance,
): Promise<BuildResult> {
  const writer = new SegmentWriter(embedder, task.recipe);
  const outcomes: FolderOutcome[] = [];
  let batch: IndexDocument[] = [];
  const flush = async () => {
    if (batch.length > 0) await writer.add(batch);
    batch = [];
  };
  let reported = 0;
  const yieldTurn = takeTurns();
  for (const { folder, known } of task.folders) {
    await yieldTurn();
    if (known !== null && locatedDigest(digestOf(folder), folder) === known)
      outcomes.push({ id: folder.id, outcome: 'same', digest: known, diagnostics: [] });
    else {
      const { document, diagnostics } = readDocument(folder);
      const digest = locatedDigest(document?.digest ?? null, folder);
      outcomes.push({ id: folder.id, outcome: digest === null ? 'empty' : 'built', digest, diagnostics });
      if (document !== null && digest !== null) batch.push(await withLanguages({ ...document, digest }));
    }
    if (batch.length === BATCH_DOCUMENTS) await flush();
    if (outcomes.length % BATCH_DOCUMENTS === 0) {
      advance(outcomes.length - reported);
      reported = outcomes.length;
    }
  }
  await flush();
  advance(outcomes.length - reported);
  if (writer.documents === 0) return { segment: null, outcomes };
  return { segment: writer.finish(directory, task.name, task.averages ?? undefined), outcomes };
}

/** Includes the location, which the catalog entry contains, and requests: with others, a skill is a changed document. */
function locatedDigest(
  digest: string | null,
  { uri, folder, file, requests = [] }: SkillFolder,
): string | null {
  if (digest === null) return null;
  return createHash('sha256')
    .update([digest, uri, folder, file, ...requests].join('\0'))
    .digest('hex');
}

function merge(task: MergeTask, directory: Directory): SegmentInfo {
  const segments = task.segments.map(({ name, dead }) => ({
    segment: new SegmentReader(directory, name),
    dead: new Set(dead),
  }));
  try {
    return mergeSegments(directory, task.name, segments, task.averages ?? undefined);
  } finally {
    for (const { segment } of segments) segment.close();
  }
}
