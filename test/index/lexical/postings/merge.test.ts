import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldAverages } from '../../../../index/lexical/postings/bm25f.ts';
import type { LexicalDocument } from '../../../../index/lexical/postings/builder.ts';
import type { ColumnsPart, LexicalColumns } from '../../../../index/lexical/postings/columns.ts';
import { mergeColumns } from '../../../../index/lexical/postings/merge.ts';
import { anyDocument, built, written } from '../documents.ts';

/** Documents in parts, each living or dead. */
const parts = fc.array(
  fc.array(fc.record({ document: anyDocument, alive: fc.boolean() }), { maxLength: 5 }),
  {
    maxLength: 4,
  },
);

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** A part in memory. */
const part = (columns: LexicalColumns, keep: Int32Array): ColumnsPart => ({
  columns,
  keep,
  read: (column, from, to) => bytesOf(columns[column]).subarray(from, to),
});

const viewOf = (column: string, buffer: ArrayBuffer) => {
  if (column === 'postings') return new Uint32Array(buffer);
  return column === 'impacts' || column === 'cardImpacts' ? new Uint16Array(buffer) : new Uint8Array(buffer);
};

/** The columns that a merge writes, as one object. */
function merged(all: readonly ColumnsPart[], documents: number, averages?: FieldAverages): LexicalColumns {
  const columns: Record<string, unknown> = {};
  mergeColumns(
    all,
    documents,
    {
      put: (column, values) => {
        columns[column] = values;
      },
      stream: (column, fill) => {
        const pieces: Uint8Array[] = [];
        fill((bytes) => pieces.push(bytes.slice()));
        columns[column] = new Uint32Array(new Uint8Array(Buffer.concat(pieces)).buffer);
      },
      together: (sizes, fill) => {
        const pieces = Object.fromEntries(Object.keys(sizes).map((column) => [column, [] as Uint8Array[]]));
        fill((column, bytes) => pieces[column]!.push(bytes.slice()));
        for (const [column, size] of Object.entries(sizes)) {
          const { buffer, length } = new Uint8Array(Buffer.concat(pieces[column]!));
          expect(length).toBe(size);
          columns[column] = viewOf(column, buffer);
        }
      },
    },
    averages,
  );
  return { ...built([]), ...columns, documents };
}

function mergedOf(all: readonly (readonly { document: LexicalDocument; alive: boolean }[])[]) {
  let next = 0;
  const columns = all.map((documents) =>
    part(
      built(documents.map(({ document }) => document)),
      Int32Array.from(documents, ({ alive }) => (alive ? next++ : -1)),
    ),
  );
  return merged(columns, next);
}

describe('mergeColumns', () => {
  it('equals a build of the living documents, bit by bit', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const living = all.flat().filter(({ alive }) => alive);
        expect(mergedOf(all)).toEqual(built(living.map(({ document }) => document)));
      }),
    );
  });

  it('drops terms that only dead documents contain', () => {
    const one = mergedOf([
      [
        { document: written('alpha beta'), alive: false },
        { document: written('beta'), alive: true },
      ],
    ]);
    expect(one).toEqual(built([written('beta')]));
    expect(one.hashes).toHaveLength(2);
  });

  it('uses given averages', () => {
    const documents = [written('alpha', 'beta gamma', 'delta')];
    const averages = { name: 4, description: 9, body: 50, reference: 7 };
    expect(merged([part(built(documents), Int32Array.of(0))], 1, averages)).toEqual(
      built(documents, averages),
    );
  });

  it('returns empty columns for no parts and for dead documents alone', () => {
    expect(merged([], 0)).toEqual(built([]));
    expect(mergedOf([[{ document: written('alpha'), alive: false }]])).toEqual(built([]));
  });

  it('rejects numbers that are out of order or incomplete', () => {
    const two = (keep: Int32Array) => part(built([written('alpha'), written('beta')]), keep);
    expect(() => merged([two(Int32Array.of(1, 0))], 2)).toThrow(RangeError);
    expect(() => merged([two(Int32Array.of(0, 1))], 3)).toThrow('2 documents are kept, but 3 were expected');
  });
});
