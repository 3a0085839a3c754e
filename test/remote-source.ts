/** What an outline leaves out, from the files of the whole index in memory: a stand-in for the database. */

import type { RemoteSource } from '../extensions/postgres/database/search-reader.ts';
import { type RemoteFile, writeOutline } from '../extensions/postgres/outline.ts';
import { blocksOf, type PostingsBlock } from '../extensions/postgres/postings-block.ts';
import { type Directory, readWhole, writeWhole } from '../index/directory/directory.ts';
import { memoryDirectory } from '../index/directory/memory.ts';
import { readManifest } from '../index/manifest.ts';
import { SegmentReader } from '../index/segment/reader.ts';

export interface CountingSource extends RemoteSource {
  /** Round trips since the start. */
  readonly trips: () => number;
}

/** `damage` may change bytes on their way. */
export function memorySource(
  whole: Directory,
  damage: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): CountingSource {
  const segments = new Map(
    (readManifest(whole)?.segments ?? []).map(({ name }) => {
      const reader = new SegmentReader(whole, name);
      const blocks = new Map<string, PostingsBlock[]>();
      for (const block of blocksOf(reader.weighingColumns)) {
        const key = `${block.high} ${block.low}`;
        blocks.set(key, [...(blocks.get(key) ?? []), block]);
      }
      return [name, { reader, blocks, bytes: readWhole(whole, name) }];
    }),
  );
  let trips = 0;
  return {
    trips: () => trips,
    async retrieve(wanted, nearest) {
      trips += 1;
      const postings = wanted.flatMap(({ segment, terms }) =>
        terms.flatMap(({ high, low }) =>
          (segments.get(segment)!.blocks.get(`${high} ${low}`) ?? []).map((block) => ({ ...block, segment })),
        ),
      );
      if (nearest === null) return { postings, nearest: [] };
      const { vector, accepted, count, exact } = nearest;
      const all = accepted
        .flatMap(({ segment, documents }) =>
          Array.from(documents, (one, document) => ({ one, document })).flatMap(({ one, document }) => {
            const row = segments.get(segment)!.reader.documentVector(document);
            if (one !== 1 || row.every((value) => value === 0)) return [];
            return [{ segment, document, score: dot(row, vector) }];
          }),
        )
        .sort((a, b) => b.score - a.score);
      const last = all[count - 1]?.score ?? Number.NEGATIVE_INFINITY;
      return { postings, nearest: exact ? all.filter(({ score }) => score >= last) : all.slice(0, count) };
    },
    async read(ranges) {
      trips += 1;
      return ranges.map(({ segment, from, to }) => damage(segments.get(segment)!.bytes.slice(from, to)));
    },
  };
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

export function remoteFile(directory: Directory, name: string): RemoteFile {
  const bytes = readWhole(directory, name);
  return { size: bytes.length, read: async (from, to) => bytes.slice(from, to) };
}

/** A directory with the outlines of all segments. */
export async function outlineOf(whole: Directory): Promise<Directory> {
  const outline = memoryDirectory();
  for (const name of whole.list())
    if (name.endsWith('.segment')) await writeOutline(outline, name, remoteFile(whole, name));
    else writeWhole(outline, name, readWhole(whole, name));
  return outline;
}
