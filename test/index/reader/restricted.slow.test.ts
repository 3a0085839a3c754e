import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../../index/passage.ts';
import type { Ranking } from '../../../index/ranking.ts';
import type { Reader } from '../../../index/reader/reader.ts';
import { indexOf } from '../../src/search/small-index.ts';
import { examples } from '../../thorough.ts';
import { toyDocument, toyEmbedder } from '../toy.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'kiln', 'glaze', 'wheel', 'clay', 'set_ref', 'setRef'];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));

interface Planned {
  readonly document: IndexDocument;
  readonly segment: number;
  readonly visible: boolean;
}

const planned: fc.Arbitrary<Planned[]> = fc
  .array(
    fc.record({
      description: words,
      body: fc.array(words, { maxLength: 3 }),
      references: fc.array(words, { maxLength: 2 }),
      segment: fc.nat(2),
      visible: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) =>
    all.map(({ description, body, references, segment, visible }, at) => ({
      document: toyDocument(`k${String.fromCharCode(97 + at)}`, description, body, {
        references,
        aliases: ['same'],
        facets: [`source:s${at % 2}`],
      }),
      segment,
      visible,
    })),
  );

/** The whole index in several segments, in another order; the visible documents alone in one segment. */
async function both(plan: readonly Planned[]): Promise<{ restricted: Reader; alone: Reader }> {
  const segments = [0, 1, 2]
    .map((segment) => plan.filter((each) => each.segment === segment).map(({ document }) => document))
    .map((documents) => documents.toReversed())
    .filter((documents) => documents.length > 0);
  const whole = await indexOf(...segments);
  const visible = new Set(plan.flatMap((each) => (each.visible ? [each.document.key] : [])));
  const accept = Uint8Array.from({ length: whole.documents }, (_, ordinal) =>
    visible.has(whole.key(ordinal)) ? 1 : 0,
  );
  const restricted = whole.restrictedTo(accept);
  await restricted.openVectors();
  const alone = await indexOf(plan.filter((each) => each.visible).map(({ document }) => document));
  return { restricted, alone };
}

const named = (reader: Reader, { ordinals, scores }: Ranking) =>
  Array.from(ordinals, (ordinal, at) => [reader.key(ordinal), scores[at]]);

describe('a restricted reader', () => {
  it('ranks by words exactly as an index of its documents alone: scores, idf, signals and ties', async () => {
    await fc.assert(
      fc.asyncProperty(planned, words, fc.integer({ min: 1, max: 5 }), async (plan, query, k) => {
        fc.pre(plan.some(({ visible }) => visible));
        const { restricted, alone } = await both(plan);
        const [one, two] = [restricted.lexical.prepare(query), alone.lexical.prepare(query)];
        expect(one.terms).toEqual(two.terms);
        expect(one.mass).toBe(two.mass);
        const [mine, theirs] = [
          restricted.lexical.match(one, k, restricted.accept([])),
          alone.lexical.match(two, k),
        ];
        expect(named(restricted, mine)).toEqual(named(alone, theirs));
        expect(restricted.lexical.signals(one, mine.ordinals)).toEqual(
          alone.lexical.signals(two, theirs.ordinals),
        );
        expect(restricted.lexical.identifierShares(one, mine.ordinals)).toEqual(
          alone.lexical.identifierShares(two, theirs.ordinals),
        );
        expect(restricted.averages).toEqual(alone.averages);
      }),
      { numRuns: examples(60) },
    );
  });

  it('computes passage coverage exactly as an index of its documents alone', async () => {
    await fc.assert(
      fc.asyncProperty(planned, words, async (plan, query) => {
        const { restricted, alone } = await both(plan);
        const coverageOf = (reader: Reader) => {
          const ordinals = reader.ordinalsByKey();
          const prepared = reader.lexical.prepare(query);
          const coverage = [...reader.passages.bestCoverage(prepared, ordinals)];
          return { coverage, weights: Array.from(ordinals, (at) => reader.passages.weights(prepared, at)) };
        };
        expect(coverageOf(restricted)).toEqual(coverageOf(alone));
      }),
      { numRuns: examples(40) },
    );
  });

  it('finds the nearest vectors exactly as an index of its documents alone, ties by key', async () => {
    await fc.assert(
      fc.asyncProperty(planned, words, fc.integer({ min: 1, max: 5 }), async (plan, query, k) => {
        fc.pre(plan.some(({ visible }) => visible));
        const { restricted, alone } = await both(plan);
        const vector = await toyEmbedder().embedQuery(query);
        const [mine, theirs] = [await restricted.openVectors(), await alone.openVectors()];
        expect(mine).toMatchObject({ kind: 'exact', fallback: null });
        expect(named(restricted, mine.nearest(vector, k))).toEqual(named(alone, theirs.nearest(vector, k)));
        expect(mine.nearest(new Float32Array(vector.length), k).ordinals).toHaveLength(0);
      }),
      { numRuns: examples(40) },
    );
  });

  it('lists, counts and resolves only its documents', async () => {
    await fc.assert(
      fc.asyncProperty(planned, async (plan) => {
        const { restricted, alone } = await both(plan);
        const keys = (reader: Reader, ordinals: Iterable<number>) =>
          Array.from(ordinals, (ordinal) => reader.key(ordinal));
        expect(restricted.documents).toBe(alone.documents);
        expect(keys(restricted, restricted.ordinalsByKey())).toEqual(keys(alone, alone.ordinalsByKey()));
        expect(keys(restricted, restricted.resolve('same'))).toEqual(keys(alone, alone.resolve('same')));
        expect(restricted.facetCounts('source:')).toEqual(alone.facetCounts('source:'));
        expect([...restricted.digests()].map(({ key }) => key).toSorted()).toEqual(
          [...alone.digests()].map(({ key }) => key),
        );
        for (const { document, visible } of plan)
          expect(restricted.resolve(document.key)).toHaveLength(visible ? 1 : 0);
      }),
      { numRuns: examples(40) },
    );
  });

  it('accepts by facets among its documents only, and can be restricted further', async () => {
    const whole = await indexOf([
      toyDocument('a', 'clay', [], { facets: ['tag:x'] }),
      toyDocument('b', 'clay', [], { facets: ['tag:x'] }),
      toyDocument('c', 'clay'),
    ]);
    const restricted = whole.restrictedTo(Uint8Array.of(1, 0, 1));
    expect([...restricted.accept([['tag:x']])]).toEqual([1, 0, 0]);
    expect(restricted.restrictedTo(Uint8Array.of(1, 1, 0)).documents).toBe(1);
    expect(() => whole.restrictedTo(new Uint8Array(2))).toThrow('A filter for 3 documents has 2 entries.');
  });

  it('does not close the files of the whole', async () => {
    const whole = await indexOf([toyDocument('a', 'clay')]);
    whole.restrictedTo(Uint8Array.of(1)).close();
    expect(whole.payload(0)).toMatchObject({ id: 'a' });
  });
});
