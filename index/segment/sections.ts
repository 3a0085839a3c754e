/**
 * The container format of a segment file: named sections, each with a checksum. Knows bytes, not documents.
 *
 *   magic (8) │ section │ … │ section │ contents (JSON) │ length of contents (4) │ CRC-32 of contents (4) │ magic (8)
 *
 * Sections start at multiples of 8 bytes, so a section read into a new buffer can be viewed as any typed array. Numbers
 * are little-endian, like every platform of Node.
 *
 * CRC-32 protects against accidents (torn writes, bad disks), not against attackers: a user who can write the index can
 * also write the program. Node's CRC-32 is vectorised; SHA-256 of a 100 MB segment would take longer than a whole
 * start.
 */

import { crc32 } from 'node:zlib';
import type { FileSink, OpenFile } from '../directory/directory.ts';
import { IndexError } from '../errors.ts';

const MAGIC = new TextEncoder().encode('SKGATE01');
const TAIL_BYTES = 4 + 4 + MAGIC.length;
const ALIGNMENT = 8;
/** Larger reads are checked in blocks of this many bytes. */
const PIECE_BYTES = 1 << 20;

export interface SectionEntry {
  readonly offset: number;
  readonly bytes: number;
  readonly crc32: number;
}

interface Contents<Meta> {
  readonly sections: Readonly<Record<string, SectionEntry>>;
  readonly meta: Meta;
}

export type Column =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** The same memory as bytes. */
export function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** Writes the sections of one segment. */
export class SectionWriter {
  readonly #sink: FileSink;
  readonly #sections: Record<string, SectionEntry> = {};
  #position = 0;

  constructor(sink: FileSink) {
    this.#sink = sink;
    this.#write(MAGIC);
  }

  /** Writes a section at once. */
  put(name: string, column: Column): void {
    this.stream(name, (write) => write(bytesOf(column)));
  }

  /** Writes a section in blocks, for data that does not fit into memory. */
  stream(name: string, fill: (write: (bytes: Uint8Array) => void) => void): void {
    const { write, end } = this.begin(name);
    fill(write);
    end();
  }

  /** As `stream`, for blocks that come over time. `end` returns the checksum; only then may another section begin. */
  begin(name: string): { readonly write: (bytes: Uint8Array) => void; readonly end: () => number } {
    const offset = this.#position;
    let crc = 0;
    return {
      write: (bytes) => {
        crc = crc32(bytes, crc);
        this.#write(bytes);
      },
      end: () => {
        this.#sections[name] = { offset, bytes: this.#position - offset, crc32: crc };
        this.#align();
        return crc;
      },
    };
  }

  /**
   * Writes sections of known sizes (bytes, by name) in parallel, in blocks, so columns that are computed together need
   * no buffer. Throws RangeError if a section does not get its size.
   */
  together<K extends string>(
    sizes: Readonly<Record<K, number>>,
    fill: (write: (name: K, bytes: Uint8Array) => void) => void,
  ): void {
    const places = new Map<string, { offset: number; bytes: number; crc32: number }>();
    for (const name in sizes) {
      places.set(name, { offset: this.#position, bytes: 0, crc32: 0 });
      this.#position += sizes[name];
      this.#align();
    }
    fill((name, bytes) => {
      const place = places.get(name)!;
      if (place.bytes + bytes.length > sizes[name])
        throw new RangeError(`More than ${sizes[name]} bytes were written to the section ${name}.`);
      this.#sink.writeAt(place.offset + place.bytes, bytes);
      place.crc32 = crc32(bytes, place.crc32);
      place.bytes += bytes.length;
    });
    for (const name in sizes) {
      const place = places.get(name)!;
      if (place.bytes !== sizes[name])
        throw new RangeError(`The section ${name} holds ${place.bytes} of ${sizes[name]} bytes.`);
      this.#sections[name] = place;
    }
  }

  /** Writes the table of contents and makes the file visible. Returns its size in bytes. */
  commit(meta: unknown): number {
    const contents: Contents<unknown> = { sections: this.#sections, meta };
    const json = new TextEncoder().encode(JSON.stringify(contents));
    const tail = new DataView(new ArrayBuffer(8));
    tail.setUint32(0, json.length, true);
    tail.setUint32(4, crc32(json), true);
    this.#write(json);
    this.#write(new Uint8Array(tail.buffer));
    this.#write(MAGIC);
    this.#sink.commit();
    return this.#position;
  }

  #write(bytes: Uint8Array): void {
    this.#sink.writeAt(this.#position, bytes);
    this.#position += bytes.length;
  }

  /** The gap is not written and therefore zero. */
  #align(): void {
    this.#position = Math.ceil(this.#position / ALIGNMENT) * ALIGNMENT;
  }
}

/** Reads and checks the sections of a finished segment. */
export class SectionReader<Meta> {
  readonly #file: OpenFile;
  readonly #name: string;
  readonly #contents: Contents<Meta>;

  /** Throws `INDEX_DAMAGED` if the file is not a complete segment. */
  constructor(file: OpenFile, name: string) {
    this.#file = file;
    this.#name = name;
    this.#contents = this.#readContents();
  }

  get meta(): Meta {
    return this.#contents.meta;
  }

  /** Where the file has each section. */
  get entries(): Readonly<Record<string, SectionEntry>> {
    return this.#contents.sections;
  }

  /** Bytes of the whole file. */
  get fileSize(): number {
    return this.#file.size;
  }

  /** Bytes of a section. */
  size(section: string): number {
    return this.#entry(section).bytes;
  }

  uint8 = (section: string) => this.#read(section, (bytes) => new Uint8Array(bytes));
  uint32 = (section: string) => this.#read(section, (bytes) => new Uint32Array(bytes));
  float32 = (section: string) => this.#read(section, (bytes) => new Float32Array(bytes));
  float64 = (section: string) => this.#read(section, (bytes) => new Float64Array(bytes));

  /** Fills `target`, which must have the section's size, and verifies the checksum. */
  readInto(section: string, target: Uint8Array): void {
    const entry = this.#entry(section);
    if (target.length !== entry.bytes)
      throw this.#damaged(`section ${section} holds ${entry.bytes} bytes, ${target.length} were expected`);
    let crc = 0;
    for (let done = 0; done < entry.bytes; done += PIECE_BYTES) {
      const piece = target.subarray(done, Math.min(entry.bytes, done + PIECE_BYTES));
      this.#file.readInto(entry.offset + done, piece);
      crc = crc32(piece, crc);
    }
    if (crc !== entry.crc32) throw this.#damaged(`section ${section} fails its checksum`);
  }

  /** Bytes of a section, not checked: the caller has its own checksum for them. */
  slice(section: string, from: number, to: number): Uint8Array {
    const entry = this.#entry(section);
    if (!(from >= 0 && from <= to && to <= entry.bytes))
      throw this.#damaged(`section ${section} has no bytes ${from}–${to}`);
    const bytes = new Uint8Array(to - from);
    this.#file.readInto(entry.offset + from, bytes);
    return bytes;
  }

  /** Fills `target` from byte `from` of the section on, not checked. */
  sliceInto(section: string, from: number, target: Uint8Array): void {
    const entry = this.#entry(section);
    if (!(from >= 0 && from + target.length <= entry.bytes))
      throw this.#damaged(`section ${section} has no bytes ${from}–${from + target.length}`);
    this.#file.readInto(entry.offset + from, target);
  }

  close(): void {
    this.#file.close();
  }

  #read<T>(section: string, view: (bytes: ArrayBuffer) => T): T {
    const bytes = new Uint8Array(this.#entry(section).bytes);
    this.readInto(section, bytes);
    return view(bytes.buffer);
  }

  #entry(section: string): SectionEntry {
    const entry = this.#contents.sections[section];
    if (entry !== undefined) return entry;
    throw this.#damaged(`it has no section ${section}`);
  }

  #readContents(): Contents<Meta> {
    const { size } = this.#file;
    if (size < MAGIC.length + TAIL_BYTES) throw this.#damaged(`it has only ${size} bytes`);
    const tail = new Uint8Array(TAIL_BYTES);
    this.#file.readInto(size - TAIL_BYTES, tail);
    if (!MAGIC.every((byte, at) => tail[8 + at] === byte)) throw this.#damaged('its end is missing');
    const view = new DataView(tail.buffer);
    const length = view.getUint32(0, true);
    if (length > size - TAIL_BYTES) throw this.#damaged('its table of contents is out of bounds');
    const json = new Uint8Array(length);
    this.#file.readInto(size - TAIL_BYTES - length, json);
    if (crc32(json) !== view.getUint32(4, true))
      throw this.#damaged('its table of contents fails its checksum');
    // The cast is sound: the checksum holds, so this is what SectionWriter wrote.
    return JSON.parse(new TextDecoder().decode(json)) as Contents<Meta>;
  }

  #damaged(what: string): IndexError {
    return new IndexError('INDEX_DAMAGED', `The segment ${this.#name} is damaged: ${what}.`);
  }
}
