import { describe, expect, it } from 'vitest';
import { type CandidateIndex, candidatesIn } from '../../../index/candidates.ts';
import { candidatesFor, depthFor } from '../../../src/search/candidates.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const reader = await indexOf([
  toyDocument('a', 'Tune slow queries', ['Read the query plan']),
  toyDocument('b', 'Fill in forms', ['Open the form']),
  toyDocument('c', 'Brew tea', ['Boil water']),
]);
const all = reader.accept([]);

describe('depthFor', () => {
  it('is never less than for a small catalog, and grows more slowly than the catalog', () => {
    expect(depthFor(0)).toBe(depthFor(10_000));
    expect(depthFor(0)).toBeGreaterThanOrEqual(20);
    const [large, larger] = [depthFor(250_000), depthFor(1_000_000)];
    expect(large).toBeGreaterThan(depthFor(0));
    expect(larger / large).toBeCloseTo(2, 1);
  });

  it('takes a share of what grows, in whole candidates', () => {
    expect(depthFor(1_000_000, 0.5)).toBeLessThan(depthFor(1_000_000));
    expect(depthFor(1_000_000, 0)).toBe(depthFor(0));
    for (const documents of [30_000, 77_777, 1_000_001]) expect(depthFor(documents) % 1).toBe(0);
  });
});

describe('candidatesFor', () => {
  /** An index that remembers what it was asked for. */
  const asked = (depthShare?: number) => {
    const calls: Parameters<CandidateIndex['find']>[] = [];
    const files = candidatesIn(reader);
    const index: CandidateIndex = {
      ...files,
      ...(depthShare !== undefined && { depthShare }),
      find: (...call) => {
        calls.push(call);
        return files.find(...call);
      },
    };
    return { calls, index };
  };

  it('asks the given index once, as deep as the size of the catalog needs', async () => {
    const { calls, index } = asked(0.5);
    const found = await candidatesFor('query plan', reader, toyEmbedder(), all, index);
    expect(calls).toHaveLength(1);
    const [[query, depth, accept] = []] = calls;
    expect(query).toMatchObject({ text: 'query plan', vector: found.vector });
    expect(depth).toBe(depthFor(3, 0.5));
    expect(accept).toBe(all);
  });

  it('returns one value of each signal for each candidate, and what was searched', async () => {
    const accept = Uint8Array.of(1, 1, 0);
    const found = await candidatesFor('slow query plan', reader, toyEmbedder(), accept);
    expect(found).toMatchObject({ searched: 2, vectors: 'exact', fallback: null, foreign: null });
    expect([...found.ordinals]).toEqual([0, 1]);
    expect(found.vector).not.toBeNull();
    for (const column of [found.bm25f, found.card, ...Object.values(found.features)])
      expect(column).toHaveLength(2);
    expect(found.bm25f[0]).toBeGreaterThan(0);
    expect(found.card[0]).toBeGreaterThan(found.card[1]!);
  });

  it('searches words alone without a model, and where the model knows no word', async () => {
    const silent = { ...toyEmbedder(), embedQuery: async () => new Float32Array(32) };
    for (const embedder of [null, silent]) {
      const found = await candidatesFor('query plan', reader, embedder, all);
      expect(found).toMatchObject({ vector: null, vectors: 'none' });
      expect([...found.ordinals]).toEqual([0]);
      expect([...found.card]).toEqual([0]);
    }
  });

  it('takes no query for foreign where the model knows all languages', async () => {
    const english = await indexOf([
      toyDocument('a', 'Tune slow queries', ['Read the query plan'], { facets: ['language:en'] }),
    ]);
    const query = 'Wie kann ich die Datenbank auf dem Server sichern?';
    const foreignOf = async (multilingual?: boolean) => {
      const embedder = { ...toyEmbedder(), ...(multilingual !== undefined && { multilingual }) };
      return (await candidatesFor(query, english, embedder, english.accept([]))).foreign;
    };
    expect(await foreignOf(true)).toBeNull();
    expect(await foreignOf(false)).toMatchObject({ language: 'de', share: 0 });
    expect(await foreignOf()).toMatchObject({ language: 'de', share: 0 });
    expect((await candidatesFor(query, english, null, english.accept([]))).foreign).not.toBeNull();
  });

  it('takes one value of a vector for knowledge of the query', async () => {
    const faint = { ...toyEmbedder(), embedQuery: async () => new Float32Array(32).fill(1, 31) };
    expect((await candidatesFor('query', reader, faint, all)).vector).not.toBeNull();
  });
});
