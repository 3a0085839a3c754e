/**
 * One indexing run: plan → build what changed → commit → tidy up.
 *
 * Nothing is in force before the commit, and everything is after it: a run that is killed leaves the previous
 * index and the segments it had finished, which the next run takes over unread.
 */

import {
  type Directory,
  type Embedder,
  type IndexManifest,
  IndexWriter,
  SEGMENT_SUFFIX,
  type SegmentInfo,
  type VectorMode,
  wantsHnsw,
} from '#index';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import type { SkillFolder } from '../catalog/entry.ts';
import { RECIPE } from '../passages/recipe.ts';
import { type Before, digestsOf, indexedBy, stampsOf } from './before.ts';
import type { Crew } from './crew.ts';
import { isDamage, removeSegments } from './damage.ts';
import { isInLine, writeInLine } from './in-line.ts';
import { plan } from './plan.ts';
import {
  type Counts,
  diagnosticsOf,
  type IndexReport,
  nothingDone,
  type Progress,
  reportOf,
} from './report.ts';
import { readStamps, writeStamps } from './stamps.ts';
import type { FolderOutcome, TaskResults } from './tasks.ts';

/** Folders of one build task at most (some 10,000 passages, well under 100 MB in a worker), and at least. */
const SLICE_FOLDERS = [64, 1_000] as const;
/** Tasks a worker gets where there are few folders: more than one evens out slices of different weight. */
const SLICES_PER_WORKER = 2;
/** Bytes of files in one build task, for skills with large references. */
const SLICE_BYTES = 24 * 2 ** 20;

export interface RunOptions {
  readonly directory: Directory;
  readonly embedder: Embedder;
  readonly vectors: VectorMode;
  readonly crew: Crew;
  /** Milliseconds since some start; for the report. */
  readonly now: () => number;
  readonly onProgress?: (progress: Progress) => void;
  /** Merge small segments now. A server leaves that to a quiet moment. */
  readonly compact?: boolean;
}

/**
 * Brings the index in line with the catalog. What turns out damaged on the way is made again, which the report's
 * `restarted` tells. Throws `IndexError` where the index cannot be written.
 */
export async function runIndexing(catalog: CatalogSnapshot, options: RunOptions): Promise<IndexReport> {
  try {
    return await run(catalog, options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { ...(await run(catalog, options)), restarted: error.message };
  }
}

async function run(catalog: CatalogSnapshot, options: RunOptions): Promise<IndexReport> {
  const { directory, now } = options;
  const started = now();
  const report = await writing(options, async (writer) => {
    const adopted = writer.leftovers();
    const { manifest } = writer;
    const settled = manifest !== null && adopted.length === 0 && writer.wantsCompaction === null;
    if (settled && isInLine(directory, manifest, catalog, options.vectors))
      return reportOf(nothingDone(catalog, manifest), manifest, null);
    const stamps = readStamps(directory);
    const before: Before = { indexed: indexedBy(stamps, manifest, directory), adopted, stamps: stamps.byId };
    const done = await bringInLine(writer, catalog, before, options);
    const byId = stampsOf(catalog.folders, done.outcomes, before.stamps);
    writeStamps(directory, { generation: done.manifest.generation, byId });
    const tidied = options.compact === false ? done.manifest : await tidy(writer, done.manifest, options);
    if (tidied !== done.manifest) writeStamps(directory, { generation: tidied.generation, byId });
    writeInLine(directory, tidied.generation, catalog);
    return reportOf(done.counts, tidied, writer.restarted);
  });
  return { ...report, tookMs: now() - started };
}

/** Lets `use` be the only writer. What turns out damaged leaves the index, so that the next run makes it again. */
export async function writing<Told>(
  { directory, embedder }: RunOptions,
  use: (writer: IndexWriter) => Promise<Told>,
): Promise<Told> {
  const writer = await IndexWriter.open(directory, { embedder, recipe: RECIPE });
  let told: Told;
  try {
    told = await use(writer);
  } catch (error) {
    if (isDamage(error)) removeSegments(directory);
    await writer.release();
    throw error;
  }
  await writer.close();
  return told;
}

/** Builds what changed and commits it: afterwards the index holds, of the documents known before, these folders alone. */
export async function bringInLine(
  writer: IndexWriter,
  catalog: Pick<CatalogSnapshot, 'folders' | 'diagnostics'>,
  { indexed, adopted, stamps }: Before,
  options: RunOptions,
): Promise<{ manifest: IndexManifest; outcomes: readonly FolderOutcome[]; counts: Counts }> {
  const known = new Map([...indexed, ...digestsOf(options.directory, adopted)]);
  const { check, unchanged } = plan(catalog.folders, known, stamps);
  const { segments, outcomes } = await buildSlices(check, known, writer.manifest, options);

  const full = outcomes.filter(({ outcome }) => outcome !== 'empty');
  const present = new Set(unchanged.filter((id) => known.has(id)));
  for (const { id } of full) present.add(id);
  const removed = [...known.keys()].filter((id) => !present.has(id));
  let manifest = writer.manifest;
  if (manifest === null || segments.length + adopted.length + removed.length > 0)
    manifest = writer.commit({ segments: [...adopted, ...segments], removed });

  // Against what was in force before: a document adopted from an interrupted run is as new as one built now.
  const added = full.filter(({ id }) => !indexed.has(id));
  const changed = full.filter(({ id, digest }) => indexed.has(id) && indexed.get(id) !== digest);
  const counts = {
    added: added.length,
    changed: changed.length,
    removed: removed.filter((id) => indexed.has(id)).length,
    kept: present.size - added.length - changed.length,
    empty: catalog.folders.length - present.size,
    diagnostics: diagnosticsOf(catalog, outcomes),
  };
  return { manifest, outcomes, counts };
}

/** Merges segments and builds the graph where that pays, whichever way the index came to be. */
export async function tidy(
  writer: IndexWriter,
  before: IndexManifest,
  options: RunOptions,
): Promise<IndexManifest> {
  const { crew, onProgress } = options;
  let manifest = before;
  const from = writer.wantsCompaction;
  if (from !== null) {
    const parts = manifest.segments.slice(from);
    const averages = from === 0 ? null : manifest.averages;
    const total = parts.reduce((sum, segment) => sum + segment.documents, 0);
    onProgress?.({ stage: 'merge', done: 0, total });
    const name = segmentName();
    const merged = await crew.perform<'merge'>({ kind: 'merge', name, parts, averages }, () => {});
    manifest = writer.replace(from, merged);
    onProgress?.({ stage: 'merge', done: total, total });
  }
  const first = manifest.segments[0];
  if (first !== undefined && manifest.hnsw === null && wantsHnsw(options.vectors, first.documents)) {
    let done = 0;
    const task = {
      kind: 'hnsw',
      segment: first.name,
      name: first.name.replace(SEGMENT_SUFFIX, '.hnsw'),
    } as const;
    const graph = await crew.perform<'hnsw'>(task, (more) => {
      done += more;
      onProgress?.({ stage: 'graph', done, total: first.documents });
    });
    if (graph !== null) manifest = writer.attachHnsw(graph);
  }
  return manifest;
}

/**
 * Builds all slices, as many at a time as the crew does. Segments come back in the order of the folders. After a
 * failure no slice is begun, and those under way are waited for: nothing writes once the lock is let go.
 */
async function buildSlices(
  check: readonly SkillFolder[],
  known: ReadonlyMap<string, string>,
  manifest: IndexManifest | null,
  { crew, onProgress }: RunOptions,
): Promise<{ segments: SegmentInfo[]; outcomes: FolderOutcome[] }> {
  let done = 0;
  const report = (more: number) => {
    done += more;
    onProgress?.({ stage: 'read', done, total: check.length });
  };
  report(0);
  const build = (slice: readonly SkillFolder[]) =>
    crew.perform<'build'>(
      {
        kind: 'build',
        name: segmentName(),
        recipe: RECIPE,
        averages: manifest?.averages ?? null,
        folders: slice.map((folder) => ({ folder, known: known.get(folder.id) ?? null })),
      },
      report,
    );
  const results: TaskResults['build'][] = [];
  const failures: unknown[] = [];
  const queue = slices(check, crew.size).entries();
  const takeTurns = async () => {
    for (const [at, slice] of queue) {
      try {
        results[at] = await build(slice);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: crew.size }, takeTurns));
  if (failures.length > 0) throw failures[0];
  return {
    segments: results.flatMap(({ segment }) => segment ?? []),
    outcomes: results.flatMap(({ outcomes }) => outcomes),
  };
}

function slices(folders: readonly SkillFolder[], workers: number): SkillFolder[][] {
  const [least, most] = SLICE_FOLDERS;
  const length = Math.min(most, Math.max(least, Math.ceil(folders.length / (workers * SLICES_PER_WORKER))));
  const result: SkillFolder[][] = [];
  let bytes = 0;
  for (const folder of folders) {
    const size = folder.files.reduce((sum, file) => sum + file.size, 0);
    const last = result.at(-1);
    if (last === undefined || last.length >= length || bytes + size > SLICE_BYTES) {
      result.push([folder]);
      bytes = size;
    } else {
      last.push(folder);
      bytes += size;
    }
  }
  return result;
}

let made = 0;

/** Unique on this machine: no two runs of one process start in the same millisecond with the same count. */
function segmentName(): string {
  made += 1;
  return `${Date.now().toString(36)}-${process.pid.toString(36)}-${made.toString(36)}${SEGMENT_SUFFIX}`;
}
