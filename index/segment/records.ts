/**
 * Records of varying length that stay on disk: payloads and passages. Their offsets and checksums are in memory
 * (12 bytes a record), so that one record costs one read, verified.
 */

import { crc32 } from 'node:zlib';
import { IndexError } from '../errors.ts';
import type { SectionReader, SectionWriter } from './sections.ts';

/** Pieces are handed on when this many bytes have come together. */
const BATCH_BYTES = 1 << 18;

/** Writes the three sections of a record store: `<name>`, `<name>.offsets` and `<name>.checks`. */
export function writeRecords(
  sections: SectionWriter,
  name: string,
  count: number,
  record: (at: number) => Uint8Array,
): void {
  const offsets = new Float64Array(count + 1);
  const checks = new Uint32Array(count);
  sections.stream(name, (write) => {
    let batch: Uint8Array[] = [];
    let held = 0;
    const flush = () => {
      write(Buffer.concat(batch));
      batch = [];
      held = 0;
    };
    for (let at = 0; at < count; at += 1) {
      const bytes = record(at);
      offsets[at + 1] = offsets[at]! + bytes.length;
      checks[at] = crc32(bytes);
      batch.push(bytes);
      held += bytes.length;
      if (held >= BATCH_BYTES) flush();
    }
    if (held > 0) flush();
  });
  sections.put(`${name}.offsets`, offsets);
  sections.put(`${name}.checks`, checks);
}

/** Reads single records of a store. */
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

  /** Throws `INDEX_DAMAGED` where the record's checksum fails. */
  read(at: number): Uint8Array {
    const bytes = this.#sections.slice(this.#name, this.#offsets[at]!, this.#offsets[at + 1]!);
    if (crc32(bytes) !== this.#checks[at])
      throw new IndexError(
        'INDEX_DAMAGED',
        `Record ${at} of the index section ${this.#name} fails its checksum.`,
      );
    return bytes;
  }

  json(at: number): unknown {
    return JSON.parse(Buffer.from(this.read(at).buffer).toString('utf8'));
  }
}
