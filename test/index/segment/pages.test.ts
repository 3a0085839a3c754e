import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { PAGE_BYTES, PagedColumn, writePaged, writePagedTogether } from '../../../index/segment/pages.ts';
import { SectionReader, SectionWriter } from '../../../index/segment/sections.ts';

/** A file with one paged section, written in blocks of these lengths. */
function written(bytes: Uint8Array, pieces: readonly number[]) {
  const directory = memoryDirectory();
  const writer = new SectionWriter(directory.create('s'));
  writePaged(writer, 'column', (write) => {
    let at = 0;
    for (const length of pieces) {
      write(bytes.subarray(at, at + length));
      at += length;
    }
    write(bytes.subarray(at));
  });
  writer.commit({});
  return directory;
}

function opened(directory: ReturnType<typeof memoryDirectory>, size: number) {
  const target = new Uint8Array(size);
  return { target, column: new PagedColumn(new SectionReader(directory.open('s'), 's'), 'column', target) };
}

const numbered = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >>> 8)) & 0xff);

describe('a paged column', () => {
  it('returns the written bytes for any range, in whatever blocks they were written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5 * PAGE_BYTES + 7 }),
        fc.array(fc.integer({ min: 0, max: 2 * PAGE_BYTES }), { maxLength: 5 }),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 6 }),
        (length, pieces, ranges) => {
          const bytes = numbered(length);
          const { target, column } = opened(written(bytes, pieces), length);
          for (const [a, b] of ranges) {
            const [from, to] = [a % (length + 1), b % (length + 1)].sort((x, y) => x - y) as [number, number];
            column.ensure(from, to);
            // Not toEqual, which compares byte by byte and takes seconds for pages.
            expect(Buffer.compare(target.subarray(from, to), bytes.subarray(from, to))).toBe(0);
          }
        },
      ),
    );
  });

  it('is the same whether written alone or in parallel with another', () => {
    const [a, b] = [numbered(2 * PAGE_BYTES + 5), numbered(PAGE_BYTES).reverse()];
    const directory = memoryDirectory();
    const writer = new SectionWriter(directory.create('s'));
    writePagedTogether(writer, { column: a.length, other: b.length }, (write) => {
      write('column', a.subarray(0, 7));
      write('other', b);
      write('column', a.subarray(7));
    });
    writer.commit({});
    const { target, column } = opened(directory, a.length);
    column.ensure(0, a.length);
    expect(target).toEqual(a);
  });

  it('reads only the requested pages', () => {
    const { target, column } = opened(written(numbered(4 * PAGE_BYTES), []), 4 * PAGE_BYTES);
    column.ensure(PAGE_BYTES + 1, PAGE_BYTES + 2);
    expect(target.subarray(0, PAGE_BYTES).every((byte) => byte === 0)).toBe(true);
    expect(target.subarray(2 * PAGE_BYTES).every((byte) => byte === 0)).toBe(true);
  });

  it('rejects a page with any changed byte, each time, and only that page', () => {
    const bytes = numbered(3 * PAGE_BYTES);
    const directory = written(bytes, []);
    const damaged = readWhole(directory, 's').slice();
    // The magic of eight bytes precedes the first section.
    damaged[8 + PAGE_BYTES + 5]! ^= 1;
    writeWhole(directory, 's', damaged);
    const { target, column } = opened(directory, bytes.length);
    for (let time = 0; time < 2; time += 1)
      expect(() => column.ensure(PAGE_BYTES, PAGE_BYTES + 1)).toThrow(
        expect.objectContaining({ code: 'INDEX_DAMAGED' }),
      );
    column.ensure(0, 1);
    expect(target.subarray(0, PAGE_BYTES)).toEqual(bytes.subarray(0, PAGE_BYTES));
  });
});
