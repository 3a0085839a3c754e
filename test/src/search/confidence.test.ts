import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordWeight } from '../../../index/lexical/query/word-weights.ts';
import { type Candidates, candidatesFor } from '../../../src/search/candidates.ts';
import { type ConfidenceSignals, confidenceOf, confidenceSignalsOf } from '../../../src/search/confidence.ts';
import { search } from '../../../src/search/search.ts';
import { verdictOf } from '../../../src/search/verdict.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const small = async () => ({
  reader: await indexOf([
    toyDocument('a', 'Tune slow queries', ['Read the query plan']),
    toyDocument('b', 'Fill in forms', ['Open the form']),
    toyDocument('c', 'Deploy to a cluster', ['Roll back a bad release']),
  ]),
  embedder: toyEmbedder(),
  now: () => 0,
});
/** A query that says what it is about, and a skill that has its words. */
const WITHOUT = {
  excluded: 0,
  otherName: 0,
  vague: 0,
  codes: 0,
  unknownCode: 0,
  smallTalk: 0,
};
const signs: ConfidenceSignals = {
  card: 0.5,
  coverage: 0.7,
  match: 0.6,
  length: 2,
  brief: 0,
  specificity: 0.9,
  size: 0,
  lead: 0.1,
  product: 0,
  ...WITHOUT,
};

describe('confidenceOf', () => {
  it('gives a lower fit in a large catalog, which holds something similar to any query', () => {
    const [few, many] = [confidenceOf({ ...signs, size: -1 }), confidenceOf({ ...signs, size: 5 })];
    expect(many.fit).toBeLessThan(few.fit);
    expect(many.first).toBeLessThan(few.first);
  });

  it('gives the first hit, but not the fit, a higher probability the larger its lead', () => {
    const large = { ...signs, size: 5 };
    const [close, far] = [confidenceOf({ ...large, lead: 0 }), confidenceOf({ ...large, lead: 0.1 })];
    expect(far.first).toBeGreaterThan(close.first);
    expect(far.fit).toBe(close.fit);
  });

  it('gives the first hit, but not the fit, a lower probability for a few keywords', () => {
    const large = { ...signs, size: 5 };
    const [sentence, keywords] = [confidenceOf(large), confidenceOf({ ...large, brief: 1 })];
    expect(keywords.first).toBeLessThan(sentence.first);
    expect(keywords.fit).toBe(sentence.fit);
  });

  it('gives a high fit but a doubtful first hit if several skills of a large catalog score alike', () => {
    const { fit, first } = confidenceOf({ ...signs, card: 0.8, size: 5, lead: 0 });
    expect(fit).toBeGreaterThan(0.8);
    expect(first).toBeLessThan(fit);
  });
});

describe('both probabilities', () => {
  it('rise with what the best candidate shares and with the length of the query, and fall with its specific words', () => {
    const base = confidenceOf(signs);
    const better: Partial<ConfidenceSignals>[] = [
      { card: 0.6 },
      { coverage: 0.8 },
      { match: 0.8 },
      { length: 2.5 },
      { specificity: 0.7 },
    ];
    for (const change of better) {
      const { fit, first } = confidenceOf({ ...signs, ...change });
      expect(fit, JSON.stringify(change)).toBeGreaterThan(base.fit);
      expect(first, JSON.stringify(change)).toBeGreaterThan(base.first);
    }
  });

  it('are far apart for a skill that shares nothing and one that shares everything', () => {
    const nothing = confidenceOf({ ...signs, card: 0, coverage: 0, match: 0, lead: 0 });
    const everything = confidenceOf({ ...signs, card: 0.9, coverage: 1, match: 1, lead: 0.5 });
    expect(verdictOf(nothing.fit)).toBe('none');
    expect(nothing.first).toBeLessThan(0.2);
    expect(everything.fit).toBeGreaterThan(0.9);
    expect(everything.first).toBeGreaterThan(0.9);
    expect(verdictOf(everything.fit)).toBe('fits');
  });

  it('are probabilities for any signals', () => {
    const any = fc.record({
      card: fc.double({ min: -1, max: 1, noNaN: true }),
      coverage: fc.double({ min: 0, max: 1, noNaN: true }),
      match: fc.double({ min: 0, max: 5, noNaN: true }),
      length: fc.double({ min: 0, max: 8, noNaN: true }),
      brief: fc.double({ min: 0, max: 2.4, noNaN: true }),
      specificity: fc.double({ min: 0, max: 2, noNaN: true }),
      size: fc.double({ min: -2, max: 10, noNaN: true }),
      lead: fc.double({ min: 0, max: 0.6, noNaN: true }),
      product: fc.constantFrom(-1, 0),
    });
    fc.assert(
      fc.property(any, (given) => {
        const own = confidenceOf({ ...given, ...WITHOUT });
        for (const name of ['fit', 'first'] as const) {
          expect(own[name]).toBeGreaterThanOrEqual(0);
          expect(own[name]).toBeLessThanOrEqual(1);
        }
        expect(own.first).toBeLessThanOrEqual(own.fit);
      }),
    );
  });
});

const readOne = {
  entryOf: () => ({ name: '', description: '' }),
  fieldsOf: () => new Uint8Array(9).fill(0b1111),
};

const wordsOf = (terms: readonly { term: string; weight: number }[], trust = 1) => ({
  text: '',
  terms: terms.map((term) => ({ ...term, words: [term.term], frequency: 1 })),
  mass: terms.reduce((sum, { weight }) => sum + weight, 0),
  rarest: 4,
  trust,
});

describe('confidenceSignalsOf', () => {
  /** Two candidates, the first one better, for a query of these terms. */
  const found = (terms: readonly { term: string; weight: number }[], more: object = {}) =>
    ({
      features: { coverage: Float32Array.of(0.5, 0.25), product: Float32Array.of(0, -1) },
      card: Float32Array.of(0.75, 0.5),
      bm25f: Float32Array.of(3, 2),
      words: wordsOf(terms),
      ordinals: Uint32Array.of(0, 1),
      codes: new Float32Array(2),
      searched: 150,
      ...more,
    }) as unknown as Candidates;
  const order = (...scores: number[]) => ({
    order: scores.map((_, at) => at),
    scores: Float32Array.from(scores),
  });
  const TERMS = [
    { term: 'zzz', weight: 4 },
    { term: 'yyy', weight: 2 },
  ];
  const signalsOf = (candidates: Candidates, ...scores: number[]) =>
    confidenceSignalsOf(candidates, order(...scores), () => false, readOne)!;

  it('are those of the best candidate, for each unit of the query’s weight', () => {
    expect(signalsOf(found(TERMS), 0.5, 0.25)).toEqual({
      card: 0.75,
      coverage: 0.5,
      match: 0.5,
      length: Math.log(3),
      // A sentence has ten words.
      brief: Math.log(11) - Math.log(3),
      specificity: 1,
      // 150 is the usual size.
      size: 0,
      lead: 0.25,
      product: 0,
      ...WITHOUT,
    });
    const second = { order: [1, 0], scores: Float32Array.of(0.25, 0.5) };
    expect(confidenceSignalsOf(found(TERMS), second, () => false, readOne)).toMatchObject({
      card: 0.5,
      coverage: 0.25,
      match: 2 / 6,
      product: -1,
      lead: 0.25,
    });
  });

  const judge = (text: string, fields: number[], entry = { name: '', description: '' }) => {
    const terms = text.split(' ').map((word) => ({
      term: word.toLowerCase(),
      weight: 2,
      words: [word],
      from: text.indexOf(word),
      frequency: fields[0]! > 0 ? 1 : 0,
    }));
    const words = { ...wordsOf([]), text, terms, mass: 2 * terms.length };
    const one = { entryOf: () => entry, fieldsOf: () => Uint8Array.from(fields) };
    return confidenceSignalsOf(found([], { words }), order(0.5), () => false, one)!;
  };
  /** Twelve words, two of which are excluded. */
  const LONG = 'cobol program one two three four five six seven eight nine ten';
  const FIELDS = Array.from({ length: 12 }, () => 2);
  const turning = {
    name: 'turn',
    description: 'Turns cobol to json, yaml to json and json to yaml. Do NOT use for creating PRs.',
  };
  const excluding = {
    name: 'forms',
    description: 'Makes forms. Not for react native, cobol programs (use cobol-kit).',
  };

  const endless = { name: 'forms', description: `Makes forms. ${'See a-b. '.repeat(500)}Not for cobol.` };

  it.each([
    ['a product that its card lacks', judge('form flutter', [3, 4]), { otherName: 0.25 }],
    ['a name that only its text has', judge('forms in Zorblax', [3, 3, 4]), { otherName: 1 / 6 }],
    ['a name that it lacks', judge('forms in Zorblax', [3, 3, 0]), { otherName: 1 / 3 }],
    ['a name that it has', judge('forms in Zorblax', [3, 3, 2]), { otherName: 0 }],
    ['a name that is left behind', judge('move from Zorblax', [3, 3, 4]), { otherName: 0 }],
    ['a name that something comes from', judge('move from a Zorblax', [3, 3, 3, 4]), { otherName: 1 / 8 }],
    ['a month', judge('forms in October', [3, 3, 4]), { otherName: 0 }],
    ['a word that says little', judge('routin', [4]), { vague: 1 - 2 / (0.6 * 4) }],
    ['the name of a skill', judge('routin', [1]), { vague: 0 }],
    ['such a word with a verb', judge('take routin', [4, 4]), { vague: 0.3 * (1 - 2 / (0.6 * 4)) }],
    ['two words', judge('routin form', [4, 4]), { vague: 0 }],
    ['words that fit any request', judge('take care', [4, 7]), { vague: 1 }],
    ['such words in the name of a skill', judge('take care', [1, 1]), { vague: 0 }],
    ['a code that nothing has', judge('ts2322', [0]), { unknownCode: 1 }],
    ['a greeting', judge('hello again', [4, 4]), { smallTalk: 1 }],
    ['a word that is no greeting', judge('are you robot'.replace('are you ', ''), [4]), { smallTalk: 0 }],
    ['what the description sends elsewhere', judge('cobol program', [2, 2], excluding), { excluded: 1 }],
    ['what it does', judge('form', [3], excluding), { excluded: 0 }],
    ['no end of a huge description', judge('cobol', [2], endless), { excluded: 0 }],
    ['the skill that it names instead', judge('cobol kit', [2, 2], excluding), { excluded: 0.4 }],
    ['all that it excludes, in a long request', judge(LONG, FIELDS, excluding), { excluded: 1 / 6 }],
    ['the other way', judge('json to cobol', [2, 2, 2], turning), { excluded: 0.6 }],
    ['both ways', judge('json to yaml', [2, 2, 2], turning), { excluded: 0 }],
    ['a thing by its short name', judge('creat pull request', [2, 2, 2], turning), { excluded: 1 }],
  ])('see %s', (_, found_, wanted) => {
    expect(found_).toMatchObject(
      Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, expect.closeTo(value, 5)])),
    );
  });

  it('have no larger lead than adds information', () => {
    const leads = [0.1, 0.3, 0.7, 0.9].map((lead) => signalsOf(found(TERMS), 0.95, 0.95 - lead).lead);
    expect(leads[1]).toBeGreaterThan(leads[0]!);
    expect(leads[2]).toBeGreaterThan(leads[1]!);
    expect(leads[3]).toBe(leads[2]);
  });

  it('double in size with the catalog, on a scale of logarithms', () => {
    const sizeOf = (searched: number) => signalsOf(found(TERMS, { searched }), 0.5, 0.25).size;
    expect(sizeOf(300) - sizeOf(150)).toBeCloseTo(Math.LN2);
    expect(sizeOf(40)).toBeLessThan(sizeOf(41));
    // The smallest catalog that was measured.
    expect(sizeOf(3)).toBe(sizeOf(40));
  });

  it('are numbers for a query without words', () => {
    expect(signalsOf(found([]), 0.5, 0.25)).toMatchObject({ match: 0, length: 0, specificity: 1 });
  });

  it('take the mean weight of the words, the rare ones counting more', () => {
    const [low, high] = ['keep', 'github'] as const;
    expect(wordWeight(low)).toBeLessThan(wordWeight(high));
    /** Words of this rarity, weighted as a query weighs them where learned weights hold so far. */
    const specificityOf = (trust: number, ...words: readonly (readonly [string, number])[]) => {
      const terms = words.map(([term, rarity]) => ({ term, weight: rarity * wordWeight(term) ** trust }));
      return signalsOf(found([], { words: wordsOf(terms, trust) }), 0.5, 0.25).specificity;
    };
    expect(specificityOf(1, [low, 3])).toBeCloseTo(wordWeight(low));
    const mean = (wordWeight(low) + wordWeight(high)) / 2;
    for (const trust of [0, 0.5, 1]) {
      expect(specificityOf(trust, [low, 2], [high, 2])).toBeCloseTo(mean);
      expect(specificityOf(trust, [low, 2], [high, 3])).toBeGreaterThan(mean);
    }
  });

  it('compares the best with the next different skill, not with its twin', async () => {
    const { reader, embedder } = await small();
    const found = await candidatesFor('tune slow queries', reader, embedder, reader.accept([]));
    const scores = Float32Array.from(found.ordinals, (_, at) => (at === 0 ? 0.9 : at === 1 ? 0.85 : 0.5));
    const order = [...found.ordinals.keys()];
    const lead = (twins: number) =>
      confidenceSignalsOf(found, { order, scores }, (_, at) => at <= twins, readOne)?.lead;
    expect(lead(0)).toBeCloseTo(0.05);
    expect(lead(1)).toBeCloseTo(0.4);
    expect(lead(order.length)).toBe(0);
  });

  it('is null without a candidate', async () => {
    const { reader, embedder } = await small();
    const none = await candidatesFor('tune', reader, embedder, new Uint8Array(reader.accept([]).length));
    expect(
      confidenceSignalsOf(none, { order: [], scores: new Float32Array() }, () => false, readOne),
    ).toBeNull();
  });

  it('does not depend on the requested number of hits', async () => {
    const index = await small();
    const [one, five] = await Promise.all(
      [1, 5].map((limit) => search({ query: 'tune slow queries, read the query plan', limit }, index)),
    );
    expect(one!.confidence).toBe(five!.confidence);
  });
});
