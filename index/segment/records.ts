/**
 * Records of variable length on disk: payloads and passages. Their offsets and checksums are in memory (12 bytes per
 * record), so reading one record takes one checked read.
 */

import { crc32 } from 'node:zlib';
import { IndexError } from '../errors.ts';
import type { SectionReader, SectionWriter } from './sections.ts';

/** Bytes per write or read of many records. */
const BATCH_BYTES = 1 << 18;

/** Writes the three sections of a record store: `<name>`, `<name>.offsets` and `<name>.checks`. */
export function writeRecords(
  sections: SectionWriter,
  name: string,
  count: number,
  records: Iterable<Uint8Array>,
): void {
  const offsets = new Float64Array(count + 1);
  const checks = new Uint32Array(count);
  sections.stream(name, (write) => {
    const batch = new Uint8Array(BATCH_BYTES);
    let held = 0;
    let at = 0;
    const flush = () => {
      write(batch.subarray(0, held));
      held = 0;
    };
    for (const bytes of records) {
      offsets[at + 1] = offsets[at]! + bytes.length;
      checks[at] = crc32(bytes);
      at += 1;
      if (held + bytes.length > BATCH_BYTES) flush();
      if (bytes.length > BATCH_BYTES) write(bytes);
      else {
        batch.set(bytes, held);
        held += bytes.length;
      }
    }
    flush();
  });
  sections.put(`${name}.offsets`, offsets);
  sections.put(`${name}.checks`, checks);
}

/** Buffer for single records, most of which are small. */
const scratch = Buffer.alloc(1 << 14);

/** Reads records of a store. */
export class RecordReader {
  readonly #sections: SectionReader<unknown>;
  readonly #name: string;
  readonly #offsets: Float64Array;
  readonly #checks: Uint32Array;

  constructor(sections: SectionReader<unknown>, name: string) {
    this.#sections = sections;
    this.#name = name;
    this.#offsets = sections.float64(`${name}.offsets`);
    this.#checks = sections.uint32(`${name}.checks`);
  }

  get count(): number {
    return this.#checks.length;
  }

  /** Records `from` to `to` (exclusive) in order, read many at a time. Each is valid until the next. */
  *all(from: number, to: number): Generator<Uint8Array> {
    for (let first = from; first < to; ) {
      const start = this.#offsets[first]!;
      let end = first + 1;
      while (end < to && this.#offsets[end + 1]! - start <= BATCH_BYTES) end += 1;
      const bytes = this.#sections.slice(this.#name, start, this.#offsets[end]!);
      for (let at = first; at < end; at += 1) {
        const record = bytes.subarray(this.#offsets[at]! - start, this.#offsets[at + 1]! - start);
        this.#check(at, record);
        yield record;
      }
      first = end;
    }
  }

  /** A JSON record, parsed. Throws `INDEX_DAMAGED` if its checksum fails. */
  json(at: number): unknown {
    const from = this.#offsets[at]!;
    const length = this.#offsets[at + 1]! - from;
    const bytes = length <= scratch.length ? scratch.subarray(0, length) : Buffer.alloc(length);
    this.#sections.sliceInto(this.#name, from, bytes);
    this.#check(at, bytes);
    return JSON.parse(bytes.toString('utf8'));
  }

  #check(at: number, bytes: Uint8Array): void {
    if (crc32(bytes) !== this.#checks[at])
      throw new IndexError(
        'INDEX_DAMAGED',
        `Record ${at} of the index section ${this.#name} fails its checksum.`,
      );
  }
}
