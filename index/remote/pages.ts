/** Reads columns of segments that are elsewhere, by page: each page is checked, and kept in the cache. */

import { crc32 } from 'node:zlib';
import { IndexError } from '../errors.ts';
import { PAGE_BYTES } from '../segment/pages.ts';
import type { SegmentReader } from '../segment/reader.ts';
import type { RemoteCache } from './cache.ts';
import type { RemoteRange, RemoteSource } from './source.ts';

type PagedSection = 'forward' | 'vectors.passages';

/** Bytes `from` to `to` (exclusive) of a section. */
export interface WantedBytes {
  readonly reader: SegmentReader;
  readonly section: PagedSection;
  readonly from: number;
  readonly to: number;
}

interface Page {
  readonly reader: SegmentReader;
  readonly section: PagedSection;
  readonly number: number;
  readonly key: string;
}

/** The wanted bytes in their order, in at most one round trip. Rejects with `INDEX_DAMAGED` if a page fails its checksum. */
export async function readPaged(
  wanted: readonly WantedBytes[],
  source: Pick<RemoteSource, 'read'>,
  cache: RemoteCache,
): Promise<Uint8Array[]> {
  // Held here too: the cache may be smaller than one search's pages.
  const pages = new Map<string, Uint8Array>();
  const missing = new Map<string, Page>();
  for (const each of wanted)
    for (const page of pagesOf(each)) {
      const kept = pages.get(page.key) ?? cache.page(page.key);
      if (kept === undefined) missing.set(page.key, page);
      else pages.set(page.key, kept);
    }
  const asked = [...missing.values()];
  const read = asked.length === 0 ? [] : await source.read(asked.map(rangeOf));
  asked.forEach((page, at) => {
    const bytes = read[at]!;
    check(page, bytes);
    pages.set(page.key, bytes);
    cache.putPage(page.key, bytes);
  });
  return wanted.map((each) => {
    const bytes = new Uint8Array(each.to - each.from);
    for (const { number, key } of pagesOf(each)) {
      const page = pages.get(key)!;
      const start = number * PAGE_BYTES;
      const from = Math.max(each.from, start);
      bytes.set(
        page.subarray(from - start, Math.min(each.to, start + page.length) - start),
        from - each.from,
      );
    }
    return bytes;
  });
}

function* pagesOf({ reader, section, from, to }: WantedBytes): Generator<Page> {
  for (let number = Math.floor(from / PAGE_BYTES); number * PAGE_BYTES < to; number += 1)
    yield { reader, section, number, key: `${reader.name}/${section}/${number}` };
}

function rangeOf({ reader, section, number }: Page): RemoteRange {
  const { offset, bytes } = reader.elsewhere(section);
  const from = number * PAGE_BYTES;
  return { segment: reader.name, from: offset + from, to: offset + Math.min(bytes, from + PAGE_BYTES) };
}

function check({ reader, section, number }: Page, bytes: Uint8Array): void {
  if (crc32(bytes) !== reader.pageChecks(section)[number])
    throw new IndexError('INDEX_DAMAGED', `A page of the index section ${section} fails its checksum.`);
}
