import { describe, expect, it } from 'vitest';
import type { LearnedSignal } from '../../../src/learning/public.ts';
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
const signal = (values: Readonly<Record<string, number>>): Pick<LearnedSignal, 'of'> => ({
  of: async (_, reader, ordinals) =>
    Float32Array.from(ordinals, (ordinal) => values[reader.key(ordinal)] ?? 0),
});
const asked = async (learned?: Pick<LearnedSignal, 'of'>, more: Partial<Searchable> = {}) => {
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
      meaning: 'it was loaded for similar requests',
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

  it('works by words alone, too', async () => {
    const taught = await asked(signal({ sheets: 1 }), { embedder: null });
    const sheets = taught.hits.find(({ entry }) => entry.id === 'sheets')!;
    expect(sheets.explanation!.learned).toBeCloseTo(0.1, 5);
  });

  it('changes no byte where nothing of it is known', async () => {
    const plain = JSON.stringify(await asked());
    expect(JSON.stringify(await asked(signal({})))).toBe(plain);
    expect(JSON.stringify(await asked({ of: async () => null }))).toBe(plain);
  });
});
