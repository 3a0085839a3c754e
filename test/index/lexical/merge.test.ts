import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LexicalDocument } from '../../../index/lexical/builder.ts';
import { mergeColumns } from '../../../index/lexical/merge.ts';
import { anyDocument, built, written } from './documents.ts';

/** Documents in parts, each alive or dead. */
const parts = fc.array(
  fc.array(fc.record({ document: anyDocument, alive: fc.boolean() }), { maxLength: 5 }),
  {
    maxLength: 4,
  },
);

function mergedOf(all: readonly (readonly { document: LexicalDocument; alive: boolean }[])[]) {
  let next = 0;
  const columns = all.map((part) => ({
    columns: built(part.map(({ document }) => document)),
    keep: Int32Array.from(part, ({ alive }) => (alive ? next++ : -1)),
  }));
  return mergeColumns(columns, next);
}

describe('mergeColumns', () => {
  it('gives what building the living documents together would give, bit by bit', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const living = all.flat().filter(({ alive }) => alive);
        expect(mergedOf(all)).toEqual(built(living.map(({ document }) => document)));
      }),
    );
  });

  it('forgets terms that only dead documents held', () => {
    const merged = mergedOf([
      [
        { document: written('alpha beta'), alive: false },
        { document: written('beta'), alive: true },
      ],
    ]);
    expect(merged).toEqual(built([written('beta')]));
    expect(merged.hashes).toHaveLength(2);
  });

  it('weighs by given averages', () => {
    const documents = [written('alpha', 'beta gamma', 'delta')];
    const averages = { name: 4, description: 9, body: 50, reference: 7 };
    const part = { columns: built(documents), keep: Int32Array.of(0) };
    expect(mergeColumns([part], 1, averages)).toEqual(built(documents, averages));
  });

  it('makes empty columns of no parts and of the dead alone', () => {
    expect(mergeColumns([], 0)).toEqual(built([]));
    expect(mergedOf([[{ document: written('alpha'), alive: false }]])).toEqual(built([]));
  });

  it('refuses numbers that are out of order or do not add up', () => {
    const part = (keep: Int32Array) => ({ columns: built([written('alpha'), written('beta')]), keep });
    expect(() => mergeColumns([part(Int32Array.of(1, 0))], 2)).toThrow(RangeError);
    expect(() => mergeColumns([part(Int32Array.of(0, 1))], 3)).toThrow(
      '2 documents are kept, 3 were announced',
    );
  });
});
