/**
 * The outline of a segment: its file without the large sections (postings, terms, vectors and texts of passages, forward
 * records). Keys, facets, lengths, payloads and offsets remain, some two kilobytes per document. What it leaves out is
 * read from the whole segment, wherever that is (`remote/`).
 */

import type { Directory, OpenFile } from '../../index/directory/directory.ts';
import { IndexError } from '../../index/errors.ts';
import type { SegmentMeta } from '../../index/segment/format.ts';
import { type SectionEntry, SectionReader, SectionWriter } from '../../index/segment/sections.ts';

/** Reads a segment file that is elsewhere. */
export interface RemoteFile {
  /** Bytes. */
  readonly size: number;
  /** Bytes `from` to `to` (exclusive). */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** Sections that searches read from elsewhere, a page or a record at a time. */
const ELSEWHERE = ['forward', 'vectors.passages', 'passages'] as const;

const OUTLINED = [
  'keys',
  'keys.offsets',
  'digests',
  'aliases.hashes',
  'aliases.documents',
  'facets',
  'fingerprints',
  'lengths',
  'passages.kinds',
  'passages.start',
  'passages.offsets',
  'passages.checks',
  'forward.offsets',
  'forward.pages',
  'vectors.documents',
  'vectors.documents.scales',
  'vectors.passages.scales',
  'vectors.passages.pages',
  'payloads',
  'payloads.offsets',
  'payloads.checks',
] as const;

/** Bytes at the end of a file that hold the table of contents of any segment. */
const TAIL_BYTES = 1 << 16;
/** Bytes of one read. */
const PIECE_BYTES = 1 << 22;

/** Writes the outline of a segment under its name. Rejects with `INDEX_DAMAGED` if a section fails its checksum. */
export async function writeOutline(directory: Directory, name: string, file: RemoteFile): Promise<void> {
  const start = Math.max(0, file.size - TAIL_BYTES);
  const { entries, meta } = new SectionReader<SegmentMeta>(
    tailOf(await file.read(start, file.size), start, file.size),
    name,
  );
  const entryOf = (section: string): SectionEntry => {
    const entry = entries[section];
    if (entry === undefined) throw damaged(name, section);
    return entry;
  };
  const sink = directory.create(name);
  try {
    const sections = new SectionWriter(sink);
    for (const section of OUTLINED) {
      const { offset, bytes, crc32 } = entryOf(section);
      const { write, end } = sections.begin(section);
      for (let at = 0; at < bytes; at += PIECE_BYTES)
        write(await file.read(offset + at, offset + Math.min(bytes, at + PIECE_BYTES)));
      if (end() !== crc32) throw damaged(name, section);
    }
    const elsewhere = Object.fromEntries(
      ELSEWHERE.map((section) => {
        const { offset, bytes } = entryOf(section);
        return [section, { offset, bytes }];
      }),
    );
    sections.commit({ ...meta, elsewhere } satisfies SegmentMeta);
  } finally {
    sink.abandon();
  }
}

/** A file of which only the end is here. */
const tailOf = (tail: Uint8Array, start: number, size: number): OpenFile => ({
  size,
  readInto(offset, target) {
    target.set(tail.subarray(offset - start, offset - start + target.length));
  },
  close() {},
});

const damaged = (name: string, section: string) =>
  new IndexError(
    'INDEX_DAMAGED',
    `The section ${section} of the segment ${name} is missing or fails its checksum.`,
  );
