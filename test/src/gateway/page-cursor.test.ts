import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { encodeCursor, readPosition } from '../../../src/gateway/page-cursor.ts';

/** A snapshot that holds these ids, in order. */
function snapshot(ids: Iterable<string>) {
  const sorted = [...new Set(ids)].toSorted();
  return {
    reader: { key: (ordinal: number) => sorted[ordinal] ?? '' },
    ordinals: Uint32Array.from(sorted, (_, at) => at),
    sorted,
  };
}

describe('readPosition', () => {
  it('continues after the last id of the previous page', () => {
    const { reader, ordinals } = snapshot(['a', 'b', 'c']);
    expect(readPosition(reader, ordinals, undefined, 'list')).toBe(0);
    expect(readPosition(reader, ordinals, encodeCursor('a', 'list'), 'list')).toBe(1);
    expect(readPosition(reader, ordinals, encodeCursor('c', 'list'), 'list')).toBe(3);
  });

  it('finds its position where that skill no longer exists', () => {
    const { reader, ordinals } = snapshot(['a', 'c']);
    expect(readPosition(reader, ordinals, encodeCursor('b', 'list'), 'list')).toBe(1);
  });

  it('returns every skill that stays exactly once, while others come and go between the pages', () => {
    const ids = fc.uniqueArray(fc.string({ maxLength: 4 }), { maxLength: 30 });
    fc.assert(
      fc.property(
        ids,
        fc.array(ids, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (stay, others, size) => {
          const seen: string[] = [];
          let cursor: string | undefined;
          for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
            const { reader, ordinals, sorted } = snapshot([...stay, ...(others[page] ?? [])]);
            const first = readPosition(reader, ordinals, cursor, 'list');
            const shown = sorted.slice(first, first + size);
            seen.push(...shown);
            const last = shown.at(-1);
            cursor = last === undefined ? undefined : encodeCursor(last, 'list');
          }
          expect(seen).toEqual([...new Set(seen)].toSorted());
          expect(seen).toEqual(expect.arrayContaining(stay));
        },
      ),
    );
  });

  it('refuses cursors of other lists and invalid ones', () => {
    const { reader, ordinals } = snapshot(['a']);
    const foreign = fc.oneof(fc.string(), fc.base64String(), fc.constant(encodeCursor('a', 'another list')));
    fc.assert(
      fc.property(foreign, (cursor) => {
        expect(() => readPosition(reader, ordinals, cursor, 'list')).toThrow(GatewayError);
      }),
    );
  });
});
