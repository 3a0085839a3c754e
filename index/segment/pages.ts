/**
 * Large columns that are read on demand. The memory of the whole column is reserved, and each page is read and checked
 * at its first use. A search needs the postings of its words and the vectors of its candidates, some hundred pages of
 * tens of thousands. Reading all of them was half of a cold start with 25,000 skills. Unused memory costs nothing,
 * because the operating system commits a page at the first write.
 */

import { crc32 } from 'node:zlib';
import { IndexError } from '../errors.ts';
import { GrowingUint32 } from '../numbers.ts';
import { PAGED_COLUMNS } from './format.ts';
import { bytesOf, type Column, type SectionReader, type SectionWriter } from './sections.ts';

/** Bytes of a page: sixteen vectors of 256 dimensions, or a thousand postings. Each page has four bytes of checksum. */
export const PAGE_BYTES = 4096;

const checksOf = (section: string) => `${section}.pages`;

/** Writes a whole column, with page checksums if searches read it by page. */
export function putColumn(sections: SectionWriter, section: string, column: Column): void {
  streamColumn(sections, section, (write) => write(bytesOf(column)));
}

/** Writes a column in blocks. */
export function streamColumn(
  sections: SectionWriter,
  section: string,
  fill: (write: (bytes: Uint8Array) => void) => void,
): void {
  if (PAGED_COLUMNS.has(section)) writePaged(sections, section, fill);
  else sections.stream(section, fill);
}

/** Writes a section in blocks, then `<section>.pages` with a checksum for each page. */
export function writePaged(
  sections: SectionWriter,
  section: string,
  fill: (write: (bytes: Uint8Array) => void) => void,
): void {
  const checks = new PageChecks();
  sections.stream(section, (write) =>
    fill((bytes) => {
      checks.take(bytes);
      write(bytes);
    }),
  );
  sections.put(checksOf(section), checks.finish());
}

/** Writes paged columns of known sizes (bytes, by section) in parallel, in blocks. */
export function writePagedTogether<K extends string>(
  sections: SectionWriter,
  sizes: Readonly<Record<K, number>>,
  fill: (write: (section: K, bytes: Uint8Array) => void) => void,
): void {
  const checks = new Map<string, PageChecks>();
  for (const section in sizes) checks.set(section, new PageChecks());
  sections.together(sizes, (write) =>
    fill((section, bytes) => {
      checks.get(section)!.take(bytes);
      write(section, bytes);
    }),
  );
  for (const [section, pages] of checks) sections.put(checksOf(section), pages.finish());
}

/** Computes the page checksums of a column from its bytes in order. */
class PageChecks {
  readonly #checks = new GrowingUint32();
  #crc = 0;
  #held = 0;

  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + PAGE_BYTES - this.#held);
      this.#crc = crc32(piece, this.#crc);
      this.#held += piece.length;
      at += piece.length;
      if (this.#held === PAGE_BYTES) this.#turn();
    }
  }

  finish(): Uint32Array {
    if (this.#held > 0) this.#turn();
    return this.#checks.view();
  }

  #turn(): void {
    this.#checks.push(this.#crc);
    this.#crc = 0;
    this.#held = 0;
  }
}

/** Pages that a cursor holds by default: reads of 256 KB. */
export const CURSOR_PAGES = 64;

/** Reads a column from start to end through a window. Checks every page. */
export class PageCursor {
  readonly #sections: SectionReader<unknown>;
  readonly #section: string;
  readonly #size: number;
  readonly #checks: Uint32Array;
  readonly #pages: number;
  #window: Uint8Array;
  /** Byte range of the column in the window. */
  #from = 0;
  #to = 0;

  /** Holds `pages` at a time, or more if a single read needs them. */
  constructor(sections: SectionReader<unknown>, section: string, pages = CURSOR_PAGES) {
    this.#sections = sections;
    this.#section = section;
    this.#size = sections.size(section);
    this.#checks = sections.uint32(checksOf(section));
    this.#pages = pages;
    this.#window = new Uint8Array(pages * PAGE_BYTES);
  }

  /**
   * Bytes `from` to `to` (exclusive), valid until the next call. Four-byte aligned in memory if `from` is a multiple of
   * four. Fast for ascending calls. Throws `INDEX_DAMAGED`.
   */
  read(from: number, to: number): Uint8Array {
    if (from < this.#from || to > this.#to) this.#load(from, to);
    return this.#window.subarray(from - this.#from, to - this.#from);
  }

  #load(from: number, to: number): void {
    const first = Math.floor(from / PAGE_BYTES);
    const end = Math.max(first + this.#pages, Math.ceil(to / PAGE_BYTES));
    const start = first * PAGE_BYTES;
    const stop = Math.min(this.#size, end * PAGE_BYTES);
    if (stop - start > this.#window.length) this.#window = new Uint8Array((end - first) * PAGE_BYTES);
    const bytes = this.#window.subarray(0, Math.max(0, stop - start));
    this.#sections.sliceInto(this.#section, start, bytes);
    for (let at = 0; at < bytes.length; at += PAGE_BYTES)
      if (crc32(bytes.subarray(at, at + PAGE_BYTES)) !== this.#checks[first + at / PAGE_BYTES])
        throw damagedPage(this.#section);
    this.#from = start;
    this.#to = stop;
  }
}

function damagedPage(section: string): IndexError {
  return new IndexError('INDEX_DAMAGED', `A page of the index section ${section} fails its checksum.`);
}

/** Fills the memory of one column on demand. */
export class PagedColumn {
  readonly #sections: SectionReader<unknown>;
  readonly #section: string;
  readonly #target: Uint8Array;
  readonly #checks: Uint32Array;
  /** 1 for each page that has been read. */
  readonly #present: Uint8Array;

  /** `target` has the section's size. Reads nothing yet. */
  constructor(sections: SectionReader<unknown>, section: string, target: Uint8Array) {
    this.#sections = sections;
    this.#section = section;
    this.#target = target;
    this.#checks = sections.uint32(checksOf(section));
    this.#present = new Uint8Array(this.#checks.length);
    if (target.length !== sections.size(section) || this.#checks.length * PAGE_BYTES < target.length)
      throw damagedPage(this.#section);
  }

  /**
   * Reads the pages of bytes `from` to `to` (exclusive) that are missing. Throws `INDEX_DAMAGED` if a checksum fails.
   */
  ensure(from: number, to: number): void {
    const end = Math.ceil(to / PAGE_BYTES);
    for (let page = Math.floor(from / PAGE_BYTES); page < end; page += 1) {
      if (this.#present[page] === 1) continue;
      let next = page + 1;
      while (next < end && this.#present[next] === 0) next += 1;
      this.#read(page, next);
      page = next - 1;
    }
  }

  /** Reads adjacent pages at once. */
  #read(first: number, end: number): void {
    const from = first * PAGE_BYTES;
    const bytes = this.#target.subarray(from, Math.min(this.#target.length, end * PAGE_BYTES));
    this.#sections.sliceInto(this.#section, from, bytes);
    for (let page = first; page < end; page += 1) {
      const at = (page - first) * PAGE_BYTES;
      if (crc32(bytes.subarray(at, at + PAGE_BYTES)) !== this.#checks[page]) throw damagedPage(this.#section);
      this.#present[page] = 1;
    }
  }
}
