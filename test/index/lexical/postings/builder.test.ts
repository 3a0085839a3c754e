import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '../../../../index/lexical/analysis/analyzer.ts';
import type { LexicalColumns } from '../../../../index/lexical/postings/columns.ts';
import { ForwardIndex } from '../../../../index/lexical/postings/forward.ts';
import { findHash, hashTerm } from '../../../../index/lexical/postings/hash.ts';
import { anyDocuments, built, WORDS, written } from '../documents.ts';

const numberOf = (columns: LexicalColumns, term: string) => findHash(columns.hashes, ...hashTerm(term));

/** Documents that contain a term, with its count in each field. */
function postingsOf(columns: LexicalColumns, term: string): Map<number, number[]> {
  const number = numberOf(columns, term);
  const found = new Map<number, number[]>();
  if (number < 0) return found;
  for (let at = columns.offsets[number]!; at < columns.offsets[number + 1]!; at += 1)
    found.set(columns.postings[at]!, [...columns.frequencies.subarray(4 * at, 4 * at + 4)]);
  return found;
}

/** Term numbers of each passage, ascending. */
function recordsOf({ documents, forward, forwardOffsets, passageStart }: LexicalColumns): number[][] {
  const records: number[][] = Array.from({ length: passageStart.at(-1)! }, () => []);
  const index = new ForwardIndex(forward);
  for (let document = 0; document < documents; document += 1) {
    const first = passageStart[document]!;
    const passages = passageStart[document + 1]! - first;
    index.each(forwardOffsets[document]!, forwardOffsets[document + 1]!, passages, (term, passage) => {
      records[first + passage]!.push(term);
    });
  }
  return records;
}

describe('PostingsBuilder', () => {
  it('agrees with counting by hand', () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const columns = built(documents);
        for (const word of WORDS) {
          const expected = new Map<number, number[]>();
          documents.forEach(({ name, description, passages }, at) => {
            const texts = [
              name,
              description,
              passages
                .filter(({ kind }) => kind === 'body')
                .map(({ text }) => text)
                .join(' '),
              passages
                .filter(({ kind }) => kind === 'reference' || kind === 'script')
                .map(({ text }) => text)
                .join(' '),
            ];
            const counts = texts.map((text) => text.split(' ').filter((other) => other === word).length);
            if (counts.some((count) => count > 0)) expected.set(at, counts);
          });
          expect(postingsOf(columns, word)).toEqual(expected);
        }
      }),
    );
  });

  it('orders terms by hash and documents by number', () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const { hashes, offsets, postings } = built(documents);
        for (let at = 2; at < hashes.length; at += 2)
          expect([
            hashes[at - 2]! < hashes[at]!,
            hashes[at - 2] === hashes[at] && hashes[at - 1]! < hashes[at + 1]!,
          ]).toContain(true);
        for (let term = 0; term + 1 < offsets.length; term += 1) {
          const own = [...postings.subarray(offsets[term], offsets[term + 1])];
          expect(own.length).toBeGreaterThan(0);
          expect(own).toEqual([...new Set(own)].sort((a, b) => a - b));
        }
        expect(offsets.at(-1)).toBe(postings.length);
      }),
    );
  });

  it('records the distinct terms of each passage; for a card, those of name and description', () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const columns = built(documents);
        const records = recordsOf(columns);
        let at = 0;
        documents.forEach(({ name, description, passages }, document) => {
          expect(columns.passageStart[document]).toBe(at);
          for (const { kind, text } of passages) {
            const terms = termsOf(kind === 'card' ? `${name} ${description}` : text);
            const numbers = [...new Set(terms.map((term) => numberOf(columns, term)))].sort((a, b) => a - b);
            expect([...records[at]!]).toEqual(numbers);
            at += 1;
          }
        });
        expect(columns.passageStart[documents.length]).toBe(at);
        expect(records).toHaveLength(at);
      }),
    );
  });

  it('counts up to 255', () => {
    const columns = built([written('', 'alpha '.repeat(255), 'alpha '.repeat(1000))]);
    expect(postingsOf(columns, 'alpha').get(0)).toEqual([0, 255, 255, 0]);
    expect([...columns.lengths]).toEqual([0, 255, 1000, 0]);
  });

  it('uses given averages instead of its own', () => {
    const documents = [written('alpha', 'beta', 'gamma'), written('beta', 'gamma delta', 'alpha alpha')];
    const mean = { name: 1, description: 1.5, body: 1.5, reference: 0 };
    expect(built(documents, mean)).toEqual(built(documents));
    expect(built(documents, { ...mean, body: 90 }).impacts).not.toEqual(built(documents).impacts);
  });

  it('builds empty columns from no documents and from documents without words', () => {
    expect(built([])).toMatchObject({
      documents: 0,
      postings: new Uint32Array(0),
      offsets: Uint32Array.of(0),
    });
    expect(built([written('', 'the', '---')])).toMatchObject({ documents: 1, postings: new Uint32Array(0) });
  });
});
