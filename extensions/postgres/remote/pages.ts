/** Reads columns of segments that are elsewhere, by page, so that every byte is checked. */

import { crc32 } from 'node:zlib';
import { IndexError } from '../../../index/errors.ts';
import { PAGE_BYTES } from '../../../index/segment/pages.ts';
import type { SegmentReader } from '../../../index/segment/reader.ts';
import type { RemoteSource } from '../database/search-reader.ts';
import type { RemoteRange } from '../database/search-rows.ts';

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

/** The wanted bytes in their order, copied, in at most one round trip. Rejects with `INDEX_DAMAGED` if a page fails its checksum. */
export async function readPaged(
  wanted: readonly WantedBytes[],
  source: Pick<RemoteSource, 'read'>,
): Promise<Uint8Array[]> {
  const pages = new Map<string, Page>();
  for (const each of wanted) for (const page of pagesOf(each)) pages.set(page.key, page);
  const runs = runsOf([...pages.values()]);
  const read = runs.length === 0 ? [] : await source.read(runs.map(rangeOf));
  const bytesOf = new Map<string, Uint8Array>();
  runs.forEach((run, at) => {
    run.forEach((page, place) => {
      const bytes = read[at]!.subarray(place * PAGE_BYTES, (place + 1) * PAGE_BYTES);
      check(page, bytes);
      bytesOf.set(page.key, bytes);
    });
  });
  return wanted.map((each) => {
    const bytes = new Uint8Array(each.to - each.from);
    for (const { number, key } of pagesOf(each)) {
      const page = bytesOf.get(key)!;
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

/** Consecutive pages together: each range that is read costs the source a lookup. */
function runsOf(pages: readonly Page[]): (readonly [Page, ...Page[]])[] {
  const runs: [Page, ...Page[]][] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const follows =
      last?.reader === page.reader && last.section === page.section && last.number + 1 === page.number;
    if (run !== undefined && follows) run.push(page);
    else runs.push([page]);
  }
  return runs;
}

function rangeOf(run: readonly [Page, ...Page[]]): RemoteRange {
  const [{ reader, section, number }] = run;
  const { offset, bytes } = reader.elsewhere(section);
  const from = number * PAGE_BYTES;
  const to = Math.min(bytes, from + run.length * PAGE_BYTES);
  return { segment: reader.name, from: offset + from, to: offset + to };
}

function check({ reader, section, number }: Page, bytes: Uint8Array): void {
  if (crc32(bytes) !== reader.pageChecks(section)[number])
    throw new IndexError('INDEX_DAMAGED', `A page of the index section ${section} fails its checksum.`);
}
