import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '../../../index/lexical/analysis/analyzer.ts';
import { indexOf } from '../../src/search/small-index.ts';
import { examples } from '../../thorough.ts';
import { toyDocument } from '../toy.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'kiln', 'glaze', 'wheel', 'clay'];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));
const segments = fc.array(
  fc.array(
    fc.record({
      description: words,
      body: fc.array(words, { maxLength: 4 }),
      references: fc.array(words, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  { minLength: 1, maxLength: 3 },
);

describe('weights and terms', () => {
  it('return the query terms in each passage, in query order, and the sum of their weights', async () => {
    await fc.assert(
      fc.asyncProperty(segments, words, async (all, query) => {
        const documents = all.map((each, segment) =>
          each.map(({ description, body, references }, at) =>
            toyDocument(`k${segment}-${at}`, description, body, { references }),
          ),
        );
        const index = await indexOf(...documents);
        const prepared = index.lexical.prepare(query);
        for (const document of documents.flat()) {
          const ordinal = index.resolve(document.key)[0]!;
          const expected = document.passages.map(({ kind, text }) => {
            const own = termsOf(kind === 'card' ? `${document.name} ${document.description}` : text);
            return prepared.terms.flatMap(({ term }, place) => (own.includes(term) ? [place] : []));
          });
          expect(expected.map((_, place) => index.passages.terms(prepared, ordinal, place))).toEqual(
            expected,
          );
          const weights = index.passages.weights(prepared, ordinal);
          expect(weights).toHaveLength(expected.length);
          expected.forEach((terms, place) => {
            const sum = terms.reduce((all, term) => all + prepared.terms[term]!.weight, 0);
            expect(weights[place]).toBeCloseTo(sum, 10);
          });
        }
      }),
      { numRuns: examples(60) },
    );
  });
});

describe('bestCoverage', () => {
  it('is the highest share of the query in one passage other than the card', async () => {
    await fc.assert(
      fc.asyncProperty(segments, words, async (all, query) => {
        const index = await indexOf(
          ...all.map((each, segment) =>
            each.map(({ description, body, references }, at) =>
              toyDocument(`k${segment}-${at}`, description, body, { references }),
            ),
          ),
        );
        const prepared = index.lexical.prepare(query);
        const ordinals = index.ordinalsByKey().toReversed();
        const coverage = index.passages.bestCoverage(prepared, ordinals);
        expect(coverage).toHaveLength(ordinals.length);
        ordinals.forEach((ordinal, at) => {
          const [, ...others] = index.passages.weights(prepared, ordinal);
          const best = Math.max(0, ...others);
          expect(coverage[at]).toBeCloseTo(best / prepared.mass, 6);
        });
      }),
      { numRuns: examples(60) },
    );
  });

  it('counts words that the catalog does not have, and is 0 without words', async () => {
    const index = await indexOf([toyDocument('a', 'clay', ['glaze', 'kiln glaze'])], [toyDocument('b', '')]);
    const coverageOf = (query: string) => [
      ...index.passages.bestCoverage(index.lexical.prepare(query), Uint32Array.of(0, 1)),
    ];
    const whole = index.lexical.prepare('kiln glaze zebra');
    const known = whole.terms[0]!.weight + whole.terms[1]!.weight;
    expect(coverageOf('kiln glaze zebra')).toEqual([Math.fround(known / whole.mass), 0]);
    expect(coverageOf('glaze kiln')).toEqual([1, 0]);
    expect(coverageOf('clay')).toEqual([0, 0]);
    expect(coverageOf('')).toEqual([0, 0]);
  });
});
