import { describe, expect, it } from 'vitest';
import type { IndexDocument, Passage } from '../../../index/passage.ts';
import { type Learning, partsOf, withLearned } from '../../../src/search/learned.ts';
import type { Searchable } from '../../../src/search/search.ts';
import { search } from '../../../src/search/search.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const DOCUMENTS = [
  toyDocument('csv', 'Clean messy tables of values', ['Detect the delimiter', 'Trim every cell of a table']),
  toyDocument('sheets', 'Clean tables in a spreadsheet', ['Trim cells', 'Format a table']),
  toyDocument('tea', 'Brew green tea', ['Boil water']),
];
const REQUEST = { query: 'clean a messy table', limit: 3, explain: true };

/** A signal that has these values; others are 0. */
const signal = (values: Readonly<Record<string, number>>): Pick<Learning, 'of'> => ({
  of: async (_, reader, ordinals) =>
    Float32Array.from(ordinals, (ordinal) => values[reader.key(ordinal)] ?? 0),
});
const asked = async (learned?: Pick<Learning, 'of'>, more: Partial<Searchable> = {}) => {
  const reader = await indexOf(DOCUMENTS);
  const index = { reader, embedder: toyEmbedder(), now: () => 0, ...more, ...(learned && { learned }) };
  return search(REQUEST, index);
};
const idsOf = ({ hits }: Awaited<ReturnType<typeof asked>>) => hits.map(({ entry }) => entry.id);

describe('what was loaded for similar requests', () => {
  it('lifts a skill that fits, by a bounded part of its score that is shown', async () => {
    const [plain, taught] = [await asked(), await asked(signal({ sheets: 1.15 }))];
    const [before, after] = [plain, taught].map(
      ({ hits }) => hits.find(({ entry }) => entry.id === 'sheets')!,
    );
    expect(after!.score - before!.score).toBeCloseTo(0.1, 5);
    expect(after!.explanation).toMatchObject({ learned: expect.closeTo(0.1, 5) });
    expect(Object.values(after!.explanation!).reduce((sum, part) => sum + part, 0)).toBeCloseTo(
      after!.score,
      5,
    );
    expect(before!.explanation).not.toHaveProperty('learned');
  });

  it('says so where it decides between two hits', async () => {
    const { hits } = await asked(signal({ csv: 1.15 }));
    expect(hits[0]!.lead!.by.find(({ feature }) => feature === 'learned')).toEqual({
      feature: 'learned',
      difference: expect.closeTo(0.1, 5),
      meaning: 'it answers similar requests',
    });
    const { lead } = hits[0]!;
    expect(lead!.by.reduce((sum, { difference }) => sum + difference, 0)).toBeCloseTo(lead!.margin, 5);
  });

  it('adds nothing to a skill that does not fit on its own', async () => {
    const taught = await asked(signal({ tea: 1.15 }));
    expect(idsOf(taught)).toEqual(idsOf(await asked()));
    expect(JSON.stringify(taught)).not.toContain('"learned"');
  });

  it('changes neither fit nor confidence nor "weak"', async () => {
    const { fit, confidence, weak } = await asked();
    expect(await asked(signal({ sheets: 1.15 }))).toMatchObject({ fit, confidence, weak });
  });

  it('adds less where several skills were loaded for the same', async () => {
    const both = await asked(signal({ csv: 0.3, sheets: 0.3 }));
    const one = await asked(signal({ sheets: 0.3 }));
    const partOf = ({ hits }: typeof one) =>
      hits.find(({ entry }) => entry.id === 'sheets')!.explanation!.learned ?? 0;
    expect(partOf(both)).toBeLessThan(partOf(one));
  });

  it('is asked once, with the query as it is searched and its candidates', async () => {
    const calls: Parameters<Learning['of']>[] = [];
    const learned = {
      of: async (...call: Parameters<Learning['of']>) => {
        calls.push(call);
        return null;
      },
    };
    await asked(learned);
    expect(calls).toHaveLength(1);
    const [[query, reader, ordinals] = []] = calls;
    expect(query!.words.text).toBe(REQUEST.query);
    expect(query!.vector).toEqual(await toyEmbedder().embedQuery(REQUEST.query));
    expect(Array.from(ordinals!, (ordinal) => reader!.key(ordinal))).toEqual(['csv', 'sheets', 'tea']);
  });

  it('works by words alone, too', async () => {
    const taught = await asked(signal({ sheets: 1 }), { embedder: null });
    const sheets = taught.hits.find(({ entry }) => entry.id === 'sheets')!;
    expect(sheets.explanation!.learned).toBeCloseTo(0.1, 5);
    // A request that has little in common says nothing there.
    const far = await asked(signal({ sheets: 0.2 }), { embedder: null });
    expect(JSON.stringify(far)).not.toContain('"learned"');
  });

  it('changes no byte where nothing of it is known', async () => {
    const plain = JSON.stringify(await asked());
    expect(JSON.stringify(await asked(signal({})))).toBe(plain);
    expect(JSON.stringify(await asked({ of: async () => null }))).toBe(plain);
  });
});

describe('requests that a skill carries', () => {
  const request = (text: string): Passage => ({
    kind: 'request',
    path: 'evals/evals.json',
    heading: [],
    lines: [1, 1],
    title: '',
    text,
  });
  const withRequests = (document: IndexDocument, ...texts: string[]): IndexDocument => ({
    ...document,
    passages: [...document.passages, ...texts.map(request)],
  });
  const [csv, sheets, tea] = DOCUMENTS as [IndexDocument, IndexDocument, IndexDocument];
  const find = async (...documents: IndexDocument[]) =>
    search(REQUEST, { reader: await indexOf(documents), embedder: toyEmbedder(), now: () => 0 });
  const hitOf = ({ hits }: Awaited<ReturnType<typeof find>>, id: string) =>
    hits.find(({ entry }) => entry.id === id)!;

  it('lift it by at most the same part, and the hit names the nearest', async () => {
    const plain = await find(csv, sheets, tea);
    const more = await find(csv, withRequests(sheets, 'plan a budget', 'clean a messy table'), tea);
    const [before, after] = [hitOf(plain, 'sheets'), hitOf(more, 'sheets')];
    expect(after.score - before.score).toBeGreaterThan(0);
    expect(after.score - before.score).toBeLessThanOrEqual(0.1 + 1e-6);
    expect(after.asked).toBe('clean a messy table');
    expect(after.explanation!.learned).toBeCloseTo(after.score - before.score, 5);
    expect(before).not.toHaveProperty('asked');
    // They make no skill fit, and are no evidence of their own.
    expect(more).toMatchObject({ fit: plain.fit, confidence: plain.confidence });
    expect(after.evidence.map(({ path }) => path)).not.toContain('evals/evals.json');
  });

  it('are not named where only what it was loaded for lifts it', async () => {
    const reader = await indexOf([csv, withRequests(sheets, 'plan a budget'), tea]);
    const taught = await search(REQUEST, {
      ...{ reader, embedder: toyEmbedder(), now: () => 0 },
      learned: signal({ sheets: 1.15 }),
    });
    expect(hitOf(taught, 'sheets').explanation).toHaveProperty('learned');
    expect(hitOf(taught, 'sheets')).not.toHaveProperty('asked');
  });

  it('count once, however often they are repeated', async () => {
    const one = await find(csv, withRequests(sheets, 'clean a messy table'), tea);
    const many = await find(csv, withRequests(sheets, ...Array(16).fill('clean a messy table')), tea);
    expect(hitOf(many, 'sheets').score).toBe(hitOf(one, 'sheets').score);
  });

  it('do not lift a skill that does not fit on its own', async () => {
    const stuffed = await find(csv, sheets, withRequests(tea, REQUEST.query));
    expect(stuffed.hits.map(({ entry }) => entry.id)).toEqual(['csv', 'sheets', 'tea']);
    expect(hitOf(stuffed, 'tea')).not.toHaveProperty('asked');
  });

  it('do not change what a caller gets who may not see the skill', async () => {
    const reader = await indexOf([csv, withRequests(sheets, REQUEST.query), tea]);
    const restricted = reader.restrictedTo(
      Uint8Array.from({ length: 3 }, (_, at) => (reader.key(at) === 'sheets' ? 0 : 1)),
    );
    const embedder = toyEmbedder();
    const [some, without] = [restricted, await indexOf([csv, tea])].map((over) =>
      search(REQUEST, { reader: over, embedder, now: () => 0 }),
    );
    expect(await some).toEqual(await without);
  });
});

describe('partsOf', () => {
  const column = (...values: number[]) => Float32Array.from(values);
  /** What is added to candidates in order of their scores. */
  const parts = (similar: number[], scores: number[], card: number[], hasVectors = true) =>
    partsOf(
      column(...similar),
      column(...card),
      { order: scores.map((_, at) => at), scores: column(...scores) },
      hasVectors,
    );
  const FIT = [0.8, 0.7];
  const CARDS = [0.5, 0.5];

  it('is null without candidates, without similar requests, and where nothing is near enough', () => {
    expect(parts([], [], [])).toBeNull();
    expect(parts([0, 0], FIT, CARDS)).toBeNull();
    expect(parts([0.01, 0.02], FIT, CARDS)).toBeNull();
    expect(parts([0.01, 0.02], FIT, [0, 0], false)).toBeNull();
  });

  it('adds nothing to a skill that was never loaded, even if its card is the nearest', () => {
    expect(parts([0.01, 0], FIT, [0.1, 0.9])).toBeNull();
    expect([...parts([0.5, 0], FIT, [0.1, 0.9])!]).toEqual([expect.closeTo(0.1), 0]);
  });

  it('adds more the nearer the request and the skill’s own card, less the nearer the best card', () => {
    const partOf = (similar: number, own: number, best: number) =>
      parts([0, similar], FIT, [best, own])?.[1] ?? 0;
    const usual = partOf(0.45, 0.5, 0.5);
    expect(usual).toBeGreaterThan(0);
    expect(partOf(0.47, 0.5, 0.5)).toBeGreaterThan(usual);
    expect(partOf(0.45, 0.53, 0.5)).toBeGreaterThan(usual);
    expect(partOf(0.45, 0.5, 0.51)).toBeLessThan(usual);
  });
});

describe('withLearned', () => {
  it('sorts by the sums, and equal sums by key', async () => {
    const reader = await indexOf(['d', 'c', 'b', 'a'].map((key) => toyDocument(key, 'Tea')));
    const ordinals = Uint32Array.of(0, 1, 2, 3);
    const scores = Float32Array.of(0.5, 0.25, 0.5, 0.75);
    const { order, scores: sums } = withLearned(
      reader,
      ordinals,
      { order: [3, 2, 0, 1], scores },
      Float32Array.of(0, 0.25, 0, 0),
    );
    expect([...sums]).toEqual([0.5, 0.5, 0.5, 0.75]);
    // a has 0.75; b, c and d have 0.5.
    expect(order).toEqual([3, 2, 1, 0]);
    expect([...scores]).toEqual([0.5, 0.25, 0.5, 0.75]);
  });
});
