import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { RecordReader, writeRecords } from '../../../index/segment/records.ts';
import { SectionReader, SectionWriter } from '../../../index/segment/sections.ts';

function write(fill: (sections: SectionWriter) => void, meta: unknown = { x: 1 }) {
  const directory = memoryDirectory();
  const writer = new SectionWriter(directory.create('s'));
  fill(writer);
  writer.commit(meta);
  return directory;
}

const open = (directory: ReturnType<typeof memoryDirectory>) =>
  new SectionReader<{ x: number }>(directory.open('s'), 's');

describe('sections', () => {
  it('returns every column and the metadata unchanged', () => {
    const directory = write((sections) => {
      sections.put('a', Uint8Array.of(1, 2, 3));
      sections.put('b', Float64Array.of(0.5, -1));
      sections.put('empty', new Uint32Array(0));
      sections.stream('c', (writeBytes) => {
        writeBytes(Uint8Array.of(9));
        writeBytes(Uint8Array.of(8, 7, 6));
      });
    });
    const sections = open(directory);
    expect(sections.meta).toEqual({ x: 1 });
    expect(sections.uint8('a')).toEqual(Uint8Array.of(1, 2, 3));
    expect(sections.float64('b')).toEqual(Float64Array.of(0.5, -1));
    expect(sections.uint32('empty')).toHaveLength(0);
    expect(sections.uint8('c')).toEqual(Uint8Array.of(9, 8, 7, 6));
    expect(sections.slice('c', 1, 3)).toEqual(Uint8Array.of(8, 7));
  });

  it('writes sections in parallel, in blocks in any order', () => {
    const directory = write((sections) => {
      sections.put('before', Uint8Array.of(1));
      sections.together({ a: 3, empty: 0, b: 8 }, (writeBytes) => {
        writeBytes('b', Uint8Array.of(1, 2, 3, 4));
        writeBytes('a', Uint8Array.of(9));
        writeBytes('b', Uint8Array.of(5, 6, 7, 8));
        writeBytes('a', Uint8Array.of(8, 7));
      });
      sections.put('after', Uint8Array.of(2));
    });
    const sections = open(directory);
    expect(sections.uint8('before')).toEqual(Uint8Array.of(1));
    expect(sections.uint8('a')).toEqual(Uint8Array.of(9, 8, 7));
    expect(sections.uint8('empty')).toHaveLength(0);
    expect(sections.uint32('b')).toHaveLength(2);
    expect(sections.uint8('b')).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    expect(sections.uint8('after')).toEqual(Uint8Array.of(2));
  });

  it('rejects a section with more or fewer bytes than its declared size', () => {
    const of = (...bytes: number[]) =>
      write((sections) =>
        sections.together({ a: 2 }, (writeBytes) => writeBytes('a', Uint8Array.from(bytes))),
      );
    expect(() => of(1)).toThrow('The section a holds 1 of 2 bytes.');
    expect(() => of(1, 2, 3)).toThrow('More than 2 bytes were written to the section a.');
  });

  it('detects any single changed byte of a section or of the contents, unless it has no effect', () => {
    const directory = write((sections) => sections.put('a', Uint32Array.of(1, 2, 3, 4)));
    const whole = readWhole(directory, 's');
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = whole.slice();
        damaged[at]! ^= flip;
        writeWhole(directory, 's', damaged);
        try {
          const read = open(directory);
          // The magic at the front and the padding carry no data: a change there has no effect and may go undetected.
          expect(read.uint32('a')).toEqual(Uint32Array.of(1, 2, 3, 4));
          expect(read.meta).toEqual({ x: 1 });
        } catch (error) {
          expect(error).toMatchObject({ code: 'INDEX_DAMAGED' });
        }
      }),
    );
  });

  it('reports a file truncated anywhere as damaged', () => {
    const directory = write((sections) => sections.put('a', Uint32Array.of(1, 2)));
    const whole = readWhole(directory, 's');
    for (let length = 0; length < whole.length; length += 1) {
      writeWhole(directory, 's', whole.subarray(0, length));
      expect(() => open(directory)).toThrow(expect.objectContaining({ code: 'INDEX_DAMAGED' }));
    }
  });
});

describe('records', () => {
  it('returns each record, including empty ones', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), (records) => {
        const directory = write((sections) => writeRecords(sections, 'r', records.length, records));
        const reader = new RecordReader(open(directory), 'r');
        expect(reader.count).toBe(records.length);
        expect(Array.from(reader.all(0, records.length), (record) => [...record])).toEqual(
          records.map((record) => [...record]),
        );
      }),
    );
  });

  it('returns records larger than one read, among small ones', () => {
    const records = [3, 400_000, 0, 300_000, 5].map((length, at) => new Uint8Array(length).fill(at + 1));
    const directory = write((sections) => writeRecords(sections, 'r', records.length, records));
    const reader = new RecordReader(open(directory), 'r');
    const found = Array.from(reader.all(1, 5), (record) => [record.length, record[0]]);
    expect(found).toEqual([
      [400_000, 2],
      [0, undefined],
      [300_000, 4],
      [5, 5],
    ]);
  });

  it('rejects a record with changed bytes', () => {
    const directory = write((sections) => writeRecords(sections, 'r', 1, [Uint8Array.of(65, 66)]));
    const whole = readWhole(directory, 's');
    whole[8]! ^= 1;
    writeWhole(directory, 's', whole);
    const reader = new RecordReader(open(directory), 'r');
    const damage = expect.objectContaining({ code: 'INDEX_DAMAGED' });
    expect(() => reader.json(0)).toThrow(damage);
    expect(() => [...reader.all(0, 1)]).toThrow(damage);
  });

  it('reads one record as JSON, whatever its size', () => {
    const values = [{ a: 1 }, 'é'.repeat(3), [], 'x'.repeat(40_000), null];
    const records = values.map((value) => new TextEncoder().encode(JSON.stringify(value)));
    const directory = write((sections) => writeRecords(sections, 'r', records.length, records));
    const reader = new RecordReader(open(directory), 'r');
    expect(values.map((_, at) => reader.json(at))).toEqual(values);
  });
});
