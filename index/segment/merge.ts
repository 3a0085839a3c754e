/** Several segments → one, without their dead documents. Nothing is embedded or tokenised again. */

import type { Directory } from '../directory/directory.ts';
import type { FieldAverages } from '../lexical/bm25f.ts';
import { mergeColumns } from '../lexical/merge.ts';
import { FINGERPRINT_BYTES } from './fingerprint.ts';
import {
  DIGEST_BYTES,
  LEXICAL_COLUMNS,
  PAGED_COLUMNS,
  type SegmentInfo,
  type SegmentMeta,
} from './format.ts';
import { type Alias, writeAliases, writeKeys } from './lookups.ts';
import { PageCursor, putColumn, streamColumn } from './pages.ts';
import type { SegmentReader } from './reader.ts';
import { writeRecords } from './records.ts';
import { SectionWriter } from './sections.ts';

export interface MergePart {
  readonly segment: SegmentReader;
  /** Local numbers to leave out. */
  readonly dead: ReadonlySet<number>;
}

const SECTION_OF: ReadonlyMap<string, string> = new Map(
  LEXICAL_COLUMNS.map(([section, column]) => [column, section]),
);

/** Where a document or passage of the result comes from. */
interface Origin {
  readonly segment: SegmentReader;
  readonly at: number;
}

/**
 * Writes the live documents of `parts`, in their order, as one segment. Mean field lengths are taken afresh
 * unless given. All parts must come from one embedder and one recipe.
 */
export function mergeSegments(
  directory: Directory,
  name: string,
  parts: readonly MergePart[],
  averages?: FieldAverages,
): SegmentInfo {
  const first = parts[0]?.segment.meta;
  if (first === undefined) throw new RangeError('Nothing to merge.');
  const documents: Origin[] = [];
  const passages: Origin[] = [];
  const columns = parts.map(({ segment, dead }) => {
    const keep = new Int32Array(segment.meta.documents).fill(-1);
    for (let at = 0; at < keep.length; at += 1) {
      if (dead.has(at)) continue;
      keep[at] = documents.length;
      documents.push({ segment, at });
      for (let passage = segment.passageStart[at]!; passage < segment.passageStart[at + 1]!; passage += 1)
        passages.push({ segment, at: passage });
    }
    return { segment, keep };
  });

  const sink = directory.create(name);
  try {
    const sections = new SectionWriter(sink);
    mergeColumns(
      columns.map(({ segment, keep }) => ({ ...segment.mergeColumns(), keep })),
      documents.length,
      {
        put: (column, values) => putColumn(sections, SECTION_OF.get(column)!, values),
        stream: (column, fill) => streamColumn(sections, SECTION_OF.get(column)!, fill),
      },
      averages,
    );
    writeKeys(
      sections,
      documents.map(({ segment, at }) => segment.key(at)),
    );
    writeLookups(sections, columns);
    copyRows(sections, 'digests', DIGEST_BYTES, documents);
    copyRows(sections, 'fingerprints', FINGERPRINT_BYTES, documents);
    copyRows(sections, 'passages.kinds', 1, passages);
    for (const [vectors, rows] of [
      ['vectors.documents', documents],
      ['vectors.passages', passages],
    ] as const) {
      copyRows(sections, vectors, first.dimensions, rows);
      copyRows(sections, `${vectors}.scales`, 4, rows);
    }
    writeRecords(sections, 'payloads', documents.length, (at) => {
      const { segment, at: local } = documents[at]!;
      return segment.payloadBytes(local);
    });
    writeRecords(sections, 'passages', passages.length, (at) => {
      const { segment, at: local } = passages[at]!;
      return segment.passageBytes(local);
    });
    const meta: SegmentMeta = { ...first, documents: documents.length, passages: passages.length };
    const bytes = sections.commit(meta);
    return { name, documents: meta.documents, passages: meta.passages, bytes };
  } finally {
    sink.abandon();
  }
}

/** Aliases and facets: document numbers change, the rest stays. */
function writeLookups(
  sections: SectionWriter,
  parts: readonly { segment: SegmentReader; keep: Int32Array }[],
): void {
  const aliases: Alias[] = [];
  const facets = new Map<string, number[]>();
  for (const { segment, keep } of parts) {
    const hashes = segment.sections.uint32('aliases.hashes');
    segment.sections.uint32('aliases.documents').forEach((document, at) => {
      if (keep[document]! >= 0) aliases.push([hashes[2 * at]!, hashes[2 * at + 1]!, keep[document]!]);
    });
    for (const [facet, members] of segment.facets) {
      const kept = members.map((member) => keep[member]!).filter((member) => member >= 0);
      if (kept.length > 0) facets.set(facet, [...(facets.get(facet) ?? []), ...kept]);
    }
  }
  writeAliases(sections, aliases);
  sections.put('facets', new TextEncoder().encode(JSON.stringify(Object.fromEntries(facets))));
}

/** Neighbouring rows that are copied at once, bytes. */
const RUN_BYTES = 1 << 18;

function readerOf({ sections }: SegmentReader, name: string): (from: number, to: number) => Uint8Array {
  if (!PAGED_COLUMNS.has(name)) {
    const column = sections.uint8(name);
    return (from, to) => column.subarray(from, to);
  }
  const cursor = new PageCursor(sections, name);
  return (from, to) => cursor.read(from, to);
}

/** Copies rows of a fixed width; runs of neighbours are written in one piece. */
function copyRows(sections: SectionWriter, name: string, width: number, rows: readonly Origin[]): void {
  streamColumn(sections, name, (write) => {
    for (let from = 0; from < rows.length; ) {
      const { segment } = rows[from]!;
      let to = from + 1;
      while (to < rows.length && rows[to]!.segment === segment) to += 1;
      const read = readerOf(segment, name);
      const most = Math.max(1, Math.floor(RUN_BYTES / width));
      for (let run = from; run < to; ) {
        let end = run + 1;
        while (end < to && end - run < most && rows[end]!.at === rows[end - 1]!.at + 1) end += 1;
        write(read(rows[run]!.at * width, (rows[end - 1]!.at + 1) * width));
        run = end;
      }
      from = to;
    }
  });
}
