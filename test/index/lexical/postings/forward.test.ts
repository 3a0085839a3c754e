import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ForwardIndex, ForwardRecords } from '../../../../index/lexical/postings/forward.ts';

/** Documents, as the terms of each of their passages. */
const terms = fc.uniqueArray(fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 0xfffffff })), { maxLength: 40 });
const documents = fc.array(fc.array(terms, { minLength: 1, maxLength: 9 }), { maxLength: 6 });

function written(all: readonly (readonly (readonly number[])[])[]) {
  const records = new ForwardRecords();
  for (const passages of all) {
    const pairs = passages.flatMap((own, place) => own.map((term) => term * passages.length + place));
    records.push(Float64Array.from(pairs).sort(), passages.length);
  }
  return records.finish();
}

/** The passages that contain each of the numbers, according to the record of `written`. */
function found(
  { forward, forwardOffsets }: ReturnType<typeof written>,
  document: number,
  passages: number,
  numbers: readonly number[],
): [number, number][] {
  const index = new ForwardIndex(forward);
  const wanted = Uint32Array.from(numbers).sort();
  const count = index.find(forwardOffsets[document]!, forwardOffsets[document + 1]!, passages, wanted);
  return Array.from({ length: count }, (_, at) => [
    wanted[index.found.terms[at]!]!,
    index.found.passages[at]!,
  ]);
}

describe('ForwardIndex', () => {
  it('finds the passages of wanted terms only, by term, then by passage', () => {
    fc.assert(
      fc.property(documents, terms, (all, others) => {
        const columns = written(all);
        expect(columns.forwardOffsets).toHaveLength(all.length + 1);
        all.forEach((passages, at) => {
          const wanted = [...new Set([...others, ...passages.flat().filter((_, place) => place % 2 === 0)])];
          const expected = wanted
            .toSorted((a, b) => a - b)
            .flatMap((term) => passages.flatMap((own, place) => (own.includes(term) ? [[term, place]] : [])));
          expect(found(columns, at, passages.length, wanted)).toEqual(expected);
        });
      }),
    );
  });

  it('visits every passage of every term', () => {
    fc.assert(
      fc.property(documents, (all) => {
        const { forward, forwardOffsets } = written(all);
        const index = new ForwardIndex(forward);
        const back = all.map((passages, at) => {
          const own: number[][] = passages.map(() => []);
          index.each(forwardOffsets[at]!, forwardOffsets[at + 1]!, passages.length, (term, place) => {
            own[place]!.push(term);
          });
          return own;
        });
        expect(back).toEqual(all.map((passages) => passages.map((own) => own.toSorted((a, b) => a - b))));
      }),
    );
  });

  it.each([128, 129, 32_768, 32_769])('distinguishes %d passages', (passages) => {
    const last = passages - 1;
    const one = Array.from({ length: passages }, (_, at) => (at === 0 || at === last ? [7, 9] : [7]));
    const columns = written([[[1]], one, [[9]]]);
    expect(found(columns, 1, passages, [3, 9])).toEqual([
      [9, 0],
      [9, last],
    ]);
    expect(found(columns, 1, passages, [7])).toHaveLength(passages);
    expect(found(columns, 2, 1, [9])).toEqual([[9, 0]]);
  });
});

describe('ForwardRecords', () => {
  it('writes a renumbered record like a record built with the new numbers', () => {
    fc.assert(
      fc.property(documents, (all) => {
        const known = [...new Set(all.flat(2))].sort((a, b) => a - b);
        const small = written(
          all.map((passages) => passages.map((own) => own.map((term) => known.indexOf(term)))),
        );
        const records = new ForwardRecords();
        all.forEach((_, at) => {
          const record = small.forward.subarray(small.forwardOffsets[at], small.forwardOffsets[at + 1]);
          records.pushRenumbered(record, Int32Array.from(known));
        });
        expect(records.finish()).toEqual(written(all));
      }),
    );
  });
});
