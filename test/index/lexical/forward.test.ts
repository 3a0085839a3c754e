import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePassage, PassageRecords, passageMatches } from '../../../index/lexical/forward.ts';
import { LexicalSearch } from '../../../index/lexical/search.ts';
import { built } from './documents.ts';

const numbers = fc.uniqueArray(fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 0xffffffff })), {
  maxLength: 40,
});

describe('PassageRecords', () => {
  it('gives back the terms of every passage', () => {
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 20 }), (passages) => {
        const records = new PassageRecords();
        const sorted = passages.map((terms) => Uint32Array.from(terms).sort());
        for (const terms of sorted) records.push(terms);
        const { forward, forwardOffsets } = records.finish();
        expect(forwardOffsets).toHaveLength(passages.length + 1);
        sorted.forEach((terms, at) => {
          expect(decodePassage(forward.subarray(forwardOffsets[at], forwardOffsets[at + 1]))).toEqual(terms);
        });
      }),
    );
  });

  it('takes one byte for a neighbour and two for a term up to 16,383 further', () => {
    const records = new PassageRecords();
    // Differences 5, 127, 128 and 16,383 take 1 + 1 + 2 + 2 bytes.
    records.push(Uint32Array.of(5, 132, 260, 16_643));
    expect([...records.finish().forwardOffsets]).toEqual([0, 6]);
  });

  it('grows past its first 64 KB', () => {
    const records = new PassageRecords();
    const terms = Uint32Array.from({ length: 50_000 }, (_, at) => at * 200);
    records.push(terms);
    records.push(terms);
    const { forward, forwardOffsets } = records.finish();
    expect(forward.length).toBeGreaterThan(1 << 16);
    expect(decodePassage(forward.subarray(forwardOffsets[1]))).toEqual(terms);
  });
});

describe('decodePassage', () => {
  it('reads any bytes without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        expect(decodePassage(bytes).length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('passageMatches', () => {
  const columns = built([
    {
      name: 'alpha',
      description: 'beta',
      passages: [
        { kind: 'card', text: '' },
        { kind: 'body', text: 'gamma gamma beta delta' },
        { kind: 'body', text: 'omega' },
      ],
    },
  ]);
  const search = new LexicalSearch([columns], 1);
  const match = (query: string, passage: number) => {
    const prepared = search.prepare(query);
    const record = columns.forward.subarray(
      columns.forwardOffsets[passage],
      columns.forwardOffsets[passage + 1],
    );
    const { terms, score, distinct } = passageMatches(prepared, 0, record);
    const expected = terms.reduce((sum, term) => sum + prepared.terms[term]!.weight, 0);
    expect(score).toBeCloseTo(expected, 10);
    return { terms: terms.map((term) => prepared.terms[term]!.term), distinct };
  };

  it('names the terms held, in order of the query, with the sum of their idf', () => {
    expect(match('delta unknown alpha gamma', 1)).toEqual({ terms: ['delta', 'gamma'], distinct: 3 });
    expect(match('gamma delta', 1).terms).toEqual(['gamma', 'delta']);
  });

  it('knows name and description in the card alone', () => {
    expect(match('alpha beta gamma', 0).terms).toEqual(['alpha', 'beta']);
  });

  it('finds nothing where nothing is shared', () => {
    expect(match('alpha', 2)).toEqual({ terms: [], distinct: 1 });
    expect(match('', 2)).toEqual({ terms: [], distinct: 1 });
  });
});
