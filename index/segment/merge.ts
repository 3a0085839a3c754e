/** Merges segments into one without their dead documents. Nothing is embedded or tokenised again. */

import type { Directory } from '../directory/directory.ts';
import type { FieldAverages } from '../lexical/postings/bm25f.ts';
import { type ColumnSink, mergeColumns } from '../lexical/postings/merge.ts';
import { GrowingUint32 } from '../numbers.ts';
import { FINGERPRINT_BYTES } from './fingerprint.ts';
import {
  DIGEST_BYTES,
  LEXICAL_COLUMNS,
  PAGED_COLUMNS,
  type SegmentInfo,
  type SegmentMeta,
} from './format.ts';
import { CURSOR_PAGES, PageCursor, putColumn, streamColumn, writePagedTogether } from './pages.ts';
import type { SegmentReader } from './reader.ts';
import { writeRecords } from './records.ts';
import { SectionWriter } from './sections.ts';
import { writeAliases, writeKeys } from './writer.ts';

interface MergePart {
  readonly segment: SegmentReader;
  /** Local numbers of the documents to leave out. */
  readonly dead: ReadonlySet<number>;
}

const SECTION_OF: ReadonlyMap<string, string> = new Map(
  LEXICAL_COLUMNS.map(([section, column]) => [column, section]),
);

/** Pages that the cursors of one column hold in all parts together: 16 MB, for each of three columns. */
const CURSORS_PAGES = 4096;

/** Consecutive documents or passages of a segment to keep: `from` to `to` (exclusive). */
interface Run {
  readonly segment: SegmentReader;
  readonly from: number;
  readonly to: number;
}

/**
 * Writes the living documents of `parts`, in order, as one segment. Computes new mean field lengths unless `averages`
 * is given. All parts must have the same embedder and recipe. Memory holds only terms, offsets and names, some 2 KB per
 * document; the rest streams through.
 */
export function mergeSegments(
  directory: Directory,
  name: string,
  parts: readonly MergePart[],
  averages?: FieldAverages,
): SegmentInfo {
  const first = parts[0]?.segment.meta;
  if (first === undefined) throw new RangeError('Nothing to merge.');
  const documents = parts.flatMap(livingRuns);
  const passages = documents.map(({ segment, from, to }): Run => {
    const { passageStart } = segment;
    return { segment, from: passageStart[from]!, to: passageStart[to]! };
  });
  const meta: SegmentMeta = { ...first, documents: lengthOf(documents), passages: lengthOf(passages) };
  const kept = renumbered(parts);
  const pages = Math.min(CURSOR_PAGES, Math.max(1, Math.floor(CURSORS_PAGES / parts.length)));

  const sink = directory.create(name);
  try {
    const sections = new SectionWriter(sink);
    mergeColumns(
      kept.map(({ segment, keep }) => ({ ...segment.mergeColumns(pages), keep })),
      meta.documents,
      sectionsSink(sections),
      averages,
    );
    writeKeys(sections, keysOf(documents));
    writeLookups(sections, kept);
    copyRows(sections, 'digests', DIGEST_BYTES, documents);
    copyRows(sections, 'fingerprints', FINGERPRINT_BYTES, documents);
    copyRows(sections, 'passages.kinds', 1, passages);
    for (const [vectors, runs] of [
      ['vectors.documents', documents],
      ['vectors.passages', passages],
    ] as const) {
      copyRows(sections, vectors, first.dimensions, runs);
      copyRows(sections, `${vectors}.scales`, 4, runs);
    }
    writeRecords(sections, 'payloads', meta.documents, recordsOf('payloads', documents));
    writeRecords(sections, 'passages', meta.passages, recordsOf('passages', passages));
    const bytes = sections.commit(meta);
    return { name, documents: meta.documents, passages: meta.passages, bytes };
  } finally {
    sink.abandon();
  }
}

const lengthOf = (runs: readonly Run[]) => runs.reduce((sum, { from, to }) => sum + to - from, 0);

function livingRuns({ segment, dead }: MergePart): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (const end of [...[...dead].sort((a, b) => a - b), segment.meta.documents]) {
    if (end > from) runs.push({ segment, from, to: end });
    from = end + 1;
  }
  return runs;
}

/** New numbers of each part's documents; −1 for those left out. */
function renumbered(parts: readonly MergePart[]): { segment: SegmentReader; keep: Int32Array }[] {
  let next = 0;
  return parts.map(({ segment, dead }) => ({
    segment,
    keep: Int32Array.from({ length: segment.meta.documents }, (_, at) => (dead.has(at) ? -1 : next++)),
  }));
}

function keysOf(runs: readonly Run[]): string[] {
  const keys: string[] = [];
  for (const { segment, from, to } of runs) for (let at = from; at < to; at += 1) keys.push(segment.key(at));
  return keys;
}

function* recordsOf(store: 'payloads' | 'passages', runs: readonly Run[]): Generator<Uint8Array> {
  for (const { segment, from, to } of runs) yield* segment.records(store, from, to);
}

/** Maps columns to the sections that store them. */
function sectionsSink(sections: SectionWriter): ColumnSink {
  const sectionOf = (column: string) => SECTION_OF.get(column)!;
  return {
    put: (column, values) => putColumn(sections, sectionOf(column), values),
    stream: (column, fill) => streamColumn(sections, sectionOf(column), fill),
    together(sizes, fill) {
      const bySection = Object.fromEntries(
        Object.entries(sizes).map(([column, bytes]) => [sectionOf(column), bytes]),
      );
      writePagedTogether(sections, bySection, (write) =>
        fill((column, bytes) => write(sectionOf(column), bytes)),
      );
    },
  };
}

/** Aliases and facets with renumbered documents. */
function writeLookups(
  sections: SectionWriter,
  parts: readonly { segment: SegmentReader; keep: Int32Array }[],
): void {
  const aliases = { hashes: new GrowingUint32(), documents: new GrowingUint32() };
  const facets = new Map<string, number[]>();
  for (const { segment, keep } of parts) {
    const hashes = segment.sections.uint32('aliases.hashes');
    segment.sections.uint32('aliases.documents').forEach((document, at) => {
      if (keep[document]! < 0) return;
      aliases.hashes.push(hashes[2 * at]!);
      aliases.hashes.push(hashes[2 * at + 1]!);
      aliases.documents.push(keep[document]!);
    });
    for (const [facet, members] of segment.facets) {
      const kept = facets.get(facet) ?? [];
      for (const member of members) if (keep[member]! >= 0) kept.push(keep[member]!);
      if (kept.length > 0) facets.set(facet, kept);
    }
  }
  writeAliases(sections, aliases.hashes.view(), aliases.documents.view());
  sections.put('facets', new TextEncoder().encode(JSON.stringify(Object.fromEntries(facets))));
}

/** Bytes per copy of consecutive rows. */
const RUN_BYTES = 1 << 18;

function readerOf({ sections }: SegmentReader, name: string): (from: number, to: number) => Uint8Array {
  if (!PAGED_COLUMNS.has(name)) {
    const column = sections.uint8(name);
    return (from, to) => column.subarray(from, to);
  }
  const cursor = new PageCursor(sections, name);
  return (from, to) => cursor.read(from, to);
}

/** Copies rows of a fixed width in large blocks. */
function copyRows(sections: SectionWriter, name: string, width: number, runs: readonly Run[]): void {
  const most = Math.max(1, Math.floor(RUN_BYTES / width));
  streamColumn(sections, name, (write) => {
    let read: ReturnType<typeof readerOf> | null = null;
    let open: SegmentReader | null = null;
    for (const { segment, from, to } of runs) {
      if (read === null || segment !== open) read = readerOf(segment, name);
      open = segment;
      for (let at = from; at < to; at += most) write(read(at * width, Math.min(to, at + most) * width));
    }
  });
}
