/**
 * One indexing run: plan → build what changed → commit → compact.
 *
 * The commit makes all changes visible at once. A killed run leaves the previous index and its finished segments, which
 * the next run adopts without rebuilding them.
 */

import { type IndexManifest, identityOf } from '../../../index/manifest.ts';
import { Reader } from '../../../index/reader/reader.ts';
import { SEGMENT_SUFFIX, type SegmentInfo } from '../../../index/segment/format.ts';
import { lacksHnsw } from '../../../index/segment/graph.ts';
import type { IndexWriter } from '../../../index/writer.ts';
import { PASSAGE_VERSION } from '../../search/passages/version.ts';
import type { CatalogSnapshot } from '../../sources/scan/catalog.ts';
import type { SkillFolder } from '../../sources/source.ts';
import { readSummary, writeSummary } from '../stored-summary.ts';
import { summarise } from '../summary.ts';
import {
  type Baseline,
  indexedBy,
  isUpToDate,
  plan,
  readDigests,
  readPriorStamps,
  readStamps,
  recordUpToDate,
  writeStamps,
} from './baseline.ts';
import { isDamage, withWriter } from './damage.ts';
import type { RunOptions } from './options.ts';
import { type Counts, type IndexReport, readDiagnostics, toReport, unchangedCounts } from './report.ts';
import { inherit, lacksShared } from './shared.ts';
import type { FolderOutcome, TaskResults } from './tasks.ts';

/** Least and most folders of one build task. The most are about 10,000 passages, well under 100 MB in a worker. */
const SLICE_FOLDERS = [64, 1_000] as const;
/** Build tasks per worker where there are few folders: more than one balances slices of different size. */
const SLICES_PER_WORKER = 2;
/** Skills of a catalog whose summary is always made again, since that takes milliseconds; and the share that changes it else. */
const SMALL_CATALOG = 300;
const MOVED = 0.02;
/** The same share for skills that a project adds to the shared ones: its first answer comes sooner. */
const MOVED_AT_FIRST = 0.1;
/** Most bytes of files in one build task, for skills with large references. */
const SLICE_BYTES = 24 * 2 ** 20;

/**
 * Updates the index so that it holds exactly the catalog. A damaged index is rebuilt, and the report's `restarted` says
 * why. Throws `IndexError` where the index cannot be written.
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
  const { directory, now, shared } = options;
  const started = now();
  const report = await withWriter(options, async (writer) => {
    const { manifest } = writer;
    const settled = manifest !== null && writer.leftovers().length === 0 && writer.wantsCompaction === null;
    if (settled && (await isUpToDate(directory, manifest, catalog, options.vectors)))
      return toReport(unchangedCounts(catalog, manifest), manifest, null);
    const stamps = readStamps(directory);
    const inherits =
      shared !== undefined && (manifest === null || lacksShared(catalog.folders, stamps.byId, shared));
    const inherited = inherits ? await inherit(writer, shared, options, runIndexing) : null;
    const before: Baseline = {
      indexed: indexedBy(stamps, manifest, directory),
      adopted: writer.leftovers(),
      stamps: inherited?.stamps ?? stamps.byId,
      ...(inherited && { inherited: inherited.digests }),
    };
    const done = await updateIndex(writer, catalog, before, options);
    const byId = readPriorStamps(catalog.folders, done.outcomes, before.stamps);
    writeStamps(directory, { generation: identityOf(done.manifest), byId });
    options.onCommit?.();
    const compacted = await compact(writer, done.manifest, options);
    if (compacted !== done.manifest) writeStamps(directory, { generation: identityOf(compacted), byId });
    recordUpToDate(directory, compacted, catalog);
    const diagnostics = [...done.counts.diagnostics, ...(inherited?.diagnostics ?? [])];
    const report = toReport({ ...done.counts, diagnostics }, compacted, writer.restarted);
    const built = done.outcomes.filter(({ outcome }) => outcome === 'built').length;
    if (inherited === null || !takeSummary(built / report.skills, options))
      await keepSummary(report, options);
    return report;
  });
  return { ...report, tookMs: now() - started };
}

/** Builds and commits what changed. Removes documents of the baseline that the catalog does not contain. */
export async function updateIndex(
  writer: IndexWriter,
  catalog: Pick<CatalogSnapshot, 'folders' | 'diagnostics'>,
  { indexed, inherited = indexed, adopted, stamps }: Baseline,
  options: RunOptions,
): Promise<{ manifest: IndexManifest; outcomes: readonly FolderOutcome[]; counts: Counts }> {
  const known = new Map([...inherited, ...readDigests(options.directory, adopted)]);
  const { check, unchanged } = plan(catalog.folders, known, stamps);
  const { segments, outcomes } = await buildSlices(check, known, writer.manifest, options);

  /** Digests of the documents that stay or are new, by id. */
  const present = new Map(unchanged.flatMap((id) => (known.has(id) ? [[id, known.get(id)!]] : [])));
  for (const { id, outcome, digest } of outcomes)
    if (outcome !== 'empty' && digest !== null) present.set(id, digest);
  const removed = [...known.keys()].filter((id) => !present.has(id));
  let manifest = writer.manifest;
  const changes = segments.length + adopted.length + removed.length;
  if (manifest === null || writer.isUncommitted || changes > 0)
    manifest = writer.commit({ segments: [...adopted, ...segments], removed });

  // Compared with the last commit: a document adopted from an interrupted run, or taken over from another index, counts as new.
  let added = 0;
  let changed = 0;
  for (const [id, digest] of present)
    if (!indexed.has(id)) added += 1;
    else if (indexed.get(id) !== digest) changed += 1;
  const counts = {
    added,
    changed,
    removed: [...indexed.keys()].filter((id) => !present.has(id)).length,
    kept: present.size - added - changed,
    empty: catalog.folders.length - present.size,
    diagnostics: readDiagnostics(catalog, outcomes),
  };
  return { manifest, outcomes, counts };
}

/**
 * Writes what the catalog holds next to the index, so that no client waits for it. A few changes among many skills leave it as it
 * is: themes hardly move, and finding them takes as long as several searches.
 */
async function keepSummary(report: Omit<IndexReport, 'tookMs'>, options: RunOptions) {
  const { directory, embedder, vectors, pins, isPublished } = options;
  const changes = report.added + report.changed + report.removed;
  if (changes === 0 || isPublished === true) return;
  const isLike = report.skills > SMALL_CATALOG && changes < MOVED * report.skills;
  if (isLike && readSummary(directory) !== null) return;
  const reader = Reader.open(directory, { embedder, vectors });
  if (reader === null) return;
  try {
    writeSummary(directory, { summary: await summarise(reader, pins), pins: pins ?? [] });
  } finally {
    reader.close();
  }
}

/** Takes the summary of the shared index for one of an earlier generation, where `own` of all skills are few, 0–1; else false. */
function takeSummary(own: number, { directory, shared }: RunOptions): boolean {
  const stored = shared === undefined ? null : readSummary(shared.directory);
  if (stored === null || own >= MOVED_AT_FIRST) return false;
  writeSummary(directory, { ...stored, summary: { ...stored.summary, generation: 0 } });
  return true;
}

/**
 * Merges segments and builds the graph where that pays. Text of removed documents goes with their segments, at the latest where those
 * were made before `purgeBefore`, ms since 1970.
 */
export async function compact(
  writer: IndexWriter,
  before: IndexManifest,
  options: RunOptions,
  purgeBefore = Number.NEGATIVE_INFINITY,
): Promise<IndexManifest> {
  const { workers, directory, vectors, onProgress } = options;
  let manifest = before;
  const wanted = [writer.wantsCompaction, purgeFrom(manifest.segments, purgeBefore)];
  const from = Math.min(...wanted.map((number) => number ?? Number.POSITIVE_INFINITY));
  if (from < manifest.segments.length) {
    const segments = manifest.segments.slice(from);
    const averages = from === 0 ? null : manifest.averages;
    const total = segments.reduce((sum, segment) => sum + segment.documents, 0);
    onProgress?.({ stage: 'merge', done: 0, total });
    const name = segmentName();
    const merged = await workers.perform<'merge'>({ kind: 'merge', name, segments, averages }, () => {});
    manifest = writer.replace(from, merged);
    onProgress?.({ stage: 'merge', done: total, total });
  }
  const first = manifest.segments[0];
  if (first !== undefined && (await lacksHnsw(directory, manifest, vectors))) {
    let done = 0;
    const task = {
      kind: 'hnsw',
      segment: first.name,
      name: first.name.replace(SEGMENT_SUFFIX, '.hnsw'),
    } as const;
    const graph = await workers.perform<'hnsw'>(task, (more) => {
      done += more;
      onProgress?.({ stage: 'graph', done, total: first.documents });
    });
    if (graph !== null) manifest = writer.attachHnsw(graph);
  }
  return manifest;
}

/**
 * Builds all slices, `workers.size` at a time. Segments are in the order of the folders. After a failure no further slice
 * begins, and active ones are awaited: nothing may be written after the lock is released.
 */
async function buildSlices(
  check: readonly SkillFolder[],
  known: ReadonlyMap<string, string>,
  manifest: IndexManifest | null,
  { workers, onProgress }: RunOptions,
): Promise<{ segments: SegmentInfo[]; outcomes: FolderOutcome[] }> {
  let done = 0;
  const report = (more: number) => {
    done += more;
    onProgress?.({ stage: 'read', done, total: check.length });
  };
  report(0);
  const build = (slice: readonly SkillFolder[]) =>
    workers.perform<'build'>(
      {
        kind: 'build',
        name: segmentName(),
        recipe: PASSAGE_VERSION,
        averages: manifest?.averages ?? null,
        folders: slice.map((folder) => ({ folder, known: known.get(folder.id) ?? null })),
      },
      report,
    );
  const results: TaskResults['build'][] = [];
  const failures: unknown[] = [];
  const queue = slices(check, workers.size).entries();
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
  await Promise.all(Array.from({ length: workers.size }, takeTurns));
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

/** Number of the first segment that was made before that time, ms since 1970, and holds removed documents; null if there is none. */
export function purgeFrom(segments: IndexManifest['segments'], before: number): number | null {
  const found = segments.findIndex(
    // Its name begins with its time.
    ({ name, dead }) => dead.length > 0 && Number.parseInt(name, 36) < before,
  );
  return found < 0 ? null : found;
}

let made = 0;

/** Unique on this machine: time, process and a counter. */
function segmentName(): string {
  made += 1;
  return `${Date.now().toString(36)}-${process.pid.toString(36)}-${made.toString(36)}${SEGMENT_SUFFIX}`;
}
