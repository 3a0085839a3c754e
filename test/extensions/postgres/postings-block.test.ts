import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_DOCUMENTS, blocksOf, headOf, readBlock } from '../../../extensions/postgres/postings-block.ts';
import { lengthFactors, WIDTH, weighBy } from '../../../index/lexical/postings/bm25f.ts';
import type { LexicalColumns } from '../../../index/lexical/postings/columns.ts';

const AVERAGES = { name: 2, description: 10, body: 100, reference: 200 };
const DOCUMENTS = 3 * BLOCK_DOCUMENTS;
const factors = lengthFactors(new Uint32Array(WIDTH * DOCUMENTS).fill(20), AVERAGES);

/** Terms with these postings: the document and its counts in each field. */
function columnsOf(
  terms: readonly (readonly { document: number; counts: readonly number[] }[])[],
): LexicalColumns {
  const postings = Uint32Array.from(terms.flat(), ({ document }) => document);
  const frequencies = Uint8Array.from(terms.flat().flatMap(({ counts }) => counts));
  const offsets = new Uint32Array(terms.length + 1);
  terms.forEach((term, at) => {
    offsets[at + 1] = offsets[at]! + term.length;
  });
  return {
    documents: DOCUMENTS,
    hashes: Uint32Array.from(terms.flatMap((_, at) => [at, 7])),
    offsets,
    postings,
    frequencies,
    ...weighBy(postings, frequencies, factors),
    lengths: new Uint32Array(0),
    passageStart: new Uint32Array(0),
    forwardOffsets: new Uint32Array(0),
    forward: new Uint32Array(0),
  };
}

/** The columns of one term from its blocks. */
function decoded(blocks: readonly { block: number; bytes: Uint8Array }[]) {
  const heads = blocks.map(headOf);
  const total = heads.reduce((sum, { count }) => sum + count, 0);
  const columns = {
    postings: new Uint32Array(total),
    impacts: new Uint16Array(total),
    cardImpacts: new Uint16Array(total),
    fields: new Uint8Array(total),
    frequencies: new Uint8Array(WIDTH * total),
  };
  let from = 0;
  blocks.forEach((block, at) => {
    readBlock(block, columns, from);
    from += heads[at]!.count;
  });
  return { numbers: heads.map(({ number }) => number), ...columns };
}

const count = fc.oneof(fc.constantFrom(0, 1, 2, 3, 255), fc.nat(255));
const posting = fc.record({
  document: fc.oneof(fc.nat(300), fc.nat(DOCUMENTS - 1)),
  counts: fc
    .tuple(count, count, count, count)
    .map(([name, ...others]) =>
      others.every((each) => each === 0) && name === 0 ? [1, 0, 0, 0] : [name, ...others],
    ),
});
const term = fc
  .uniqueArray(posting, { minLength: 1, maxLength: 40, selector: ({ document }) => document })
  .map((all) => all.toSorted((a, b) => a.document - b.document));

describe('blocks of postings', () => {
  it('give back every column, whatever the blocks that documents fall into', () => {
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 5 }), (terms) => {
        const columns = columnsOf(terms);
        const blocks = [...blocksOf(columns)];
        terms.forEach((_, at) => {
          const own = blocks.filter(({ high }) => high === at);
          const [from, to] = [columns.offsets[at]!, columns.offsets[at + 1]!];
          expect(decoded(own)).toEqual({
            numbers: own.map(() => at),
            postings: columns.postings.slice(from, to),
            impacts: columns.impacts.slice(from, to),
            cardImpacts: columns.cardImpacts.slice(from, to),
            fields: columns.fields.slice(from, to),
            frequencies: columns.frequencies.slice(WIDTH * from, WIDTH * to),
          });
        });
      }),
      { numRuns: 100 },
    );
  });

  it('begin anew every 65,536 documents', () => {
    const columns = columnsOf([
      [0, BLOCK_DOCUMENTS - 1, BLOCK_DOCUMENTS, 2 * BLOCK_DOCUMENTS + 5].map((document) => ({
        document,
        counts: [0, 0, 1, 0],
      })),
    ]);
    expect([...blocksOf(columns)].map(({ block }) => block)).toEqual([0, 1, 2]);
  });

  it('a posting in the body alone takes four bytes', () => {
    // A gap below 128, a mask and an impact of two bytes: 1 + 1 + 2; and two numbers of one byte for the block.
    const columns = columnsOf([[{ document: 5, counts: [0, 0, 1, 0] }]]);
    expect([...blocksOf(columns)][0]?.bytes).toHaveLength(2 + 4);
  });

  it('hold any number of postings of any of many terms', () => {
    // A block of 20 KB, whose term has a number of two bytes.
    const many = Array.from({ length: 5_000 }, (_, at) => ({
      document: 2 * at,
      counts: [1, 0, 3 + (at % 200), 0],
    }));
    const single = { document: 0, counts: [1, 0, 0, 0] };
    const columns = columnsOf([...Array.from({ length: 300 }, () => [single]), many]);
    const blocks = [...blocksOf(columns)].filter(({ high }) => high === 300);
    const { numbers, postings, frequencies, impacts, cardImpacts } = decoded(blocks);
    expect(numbers).toEqual([300]);
    expect(postings).toEqual(columns.postings.subarray(300));
    expect(frequencies).toEqual(columns.frequencies.subarray(300 * WIDTH));
    expect(impacts).toEqual(columns.impacts.subarray(300));
    expect(cardImpacts).toEqual(columns.cardImpacts.subarray(300));
  });

  it('are read without frequencies where no column is there for them, and behind other postings', () => {
    const columns = columnsOf([
      [
        { document: 5, counts: [1, 0, 9, 0] },
        { document: 700, counts: [0, 0, 0, 3] },
      ],
    ]);
    const [block] = blocksOf(columns);
    const into = {
      postings: new Uint32Array(3),
      impacts: new Uint16Array(3),
      cardImpacts: new Uint16Array(3),
      fields: new Uint8Array(3),
      frequencies: new Uint8Array(0),
    };
    readBlock(block!, into, 1);
    expect([...into.postings]).toEqual([0, 5, 700]);
    expect([...into.impacts]).toEqual([0, ...columns.impacts]);
    expect([...into.cardImpacts]).toEqual([0, ...columns.cardImpacts]);
    expect([...into.fields]).toEqual([0, 0b0101, 0b1000]);
    const frequencies = new Uint8Array(3 * WIDTH);
    readBlock(block!, { ...into, frequencies }, 1);
    expect([...frequencies]).toEqual([0, 0, 0, 0, 1, 0, 9, 0, 0, 0, 0, 3]);
  });

  it('tell the index which terms are read', () => {
    const touched: number[] = [];
    const columns = columnsOf([1, 2].map((document) => [{ document, counts: [1, 0, 0, 0] }]));
    const touch = (term: number) => {
      touched.push(term);
    };
    const blocks = [...blocksOf({ ...columns, touch })];
    // Each with both halves of its term's hash.
    expect(blocks.map(({ high, low }) => [high, low])).toEqual([
      [0, 7],
      [1, 7],
    ]);
    expect(touched).toEqual([0, 1]);
  });

  it('that claim more postings than they can hold are refused unread', () => {
    const head = (...bytes: number[]) => headOf({ bytes: Uint8Array.from(bytes) });
    expect(head(7, 1, 0, 1, 0, 0)).toEqual({ number: 7, count: 1 });
    expect(head(0x7f, 0)).toEqual({ number: 127, count: 0 });
    expect(() => head(7, 1, 0, 1, 0)).toThrow('ends too early');
    // Five bytes of seven bits: 2³² − 1 postings.
    expect(() => head(7, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1, 0, 0)).toThrow(RangeError);
    expect(head(0xff, 0xff, 0xff, 0xff, 0x0f, 0)).toEqual({ number: 0xffffffff, count: 0 });
  });

  it('that end too early are refused', () => {
    const [block] = blocksOf(columnsOf([[{ document: 5, counts: [1, 0, 9, 0] }]]));
    for (let length = 0; length < block!.bytes.length; length += 1)
      expect(() => decoded([{ block: 0, bytes: block!.bytes.subarray(0, length) }])).toThrow(RangeError);
  });
});
