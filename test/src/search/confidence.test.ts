import { describe, expect, it } from 'vitest';
import { candidatesFor } from '../../../src/search/candidates.ts';
import {
  type ConfidenceSignals,
  confidenceOf,
  confidenceSignalsOf,
  isWeak,
} from '../../../src/search/confidence.ts';
import { search } from '../../../src/search/search.ts';
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
const signs: ConfidenceSignals = {
  card: 0.5,
  coverage: 0.7,
  match: 0.6,
  length: 2,
  specificity: 0.9,
  size: 0,
  lead: 0.1,
  foreign: false,
};

describe('confidenceOf', () => {
  it('gives a higher fit the more the best candidate shares with the query', () => {
    const { fit } = confidenceOf(signs);
    expect(confidenceOf({ ...signs, card: 0.7 }).fit).toBeGreaterThan(fit);
    expect(confidenceOf({ ...signs, coverage: 0.9 }).fit).toBeGreaterThan(fit);
    expect(confidenceOf({ ...signs, match: 0.9 }).fit).toBeGreaterThan(fit);
  });

  it('gives a lower fit in a large catalog, which holds something similar to any query', () => {
    const [few, many] = [confidenceOf({ ...signs, size: -1 }), confidenceOf({ ...signs, size: 5 })];
    expect(many.fit).toBeLessThan(few.fit);
    expect(many.first).toBe(few.first);
  });

  it('gives the first hit, but not the fit, a higher probability the larger its lead', () => {
    const [close, far] = [confidenceOf({ ...signs, lead: 0 }), confidenceOf({ ...signs, lead: 0.3 })];
    expect(far.first).toBeGreaterThan(close.first);
    expect(far.fit).toBe(close.fit);
  });

  it('gives a high fit but a doubtful first hit if several skills score alike', () => {
    const { fit, first } = confidenceOf({ ...signs, card: 0.8, lead: 0 });
    expect(fit).toBeGreaterThan(0.8);
    expect(first).toBeLessThan(fit);
  });
});

describe('confidenceSignalsOf', () => {
  it('counts the skills that can be found, at least as many as in the smallest measured catalog', async () => {
    const { reader, embedder } = await small();
    const found = await candidatesFor('tune slow queries', reader, embedder, reader.accept([]));
    expect(found.searched).toBe(3);
    const order = { order: [...found.ordinals.keys()], scores: new Float32Array(found.ordinals.length) };
    const size = (searched: number) => confidenceSignalsOf({ ...found, searched }, order, () => false)?.size;
    expect(size(3)).toBe(size(40));
    expect(size(24_849)).toBeGreaterThan(size(40)!);
  });

  it('compares the best with the next different skill, not with its twin', async () => {
    const { reader, embedder } = await small();
    const found = await candidatesFor('tune slow queries', reader, embedder, reader.accept([]));
    const scores = Float32Array.from(found.ordinals, (_, at) => (at === 0 ? 0.9 : at === 1 ? 0.85 : 0.5));
    const order = [...found.ordinals.keys()];
    const lead = (twins: number) =>
      confidenceSignalsOf(found, { order, scores }, (_, at) => at <= twins)?.lead;
    expect(lead(0)).toBeCloseTo(0.05);
    expect(lead(1)).toBeCloseTo(0.4);
    expect(lead(order.length)).toBe(0);
  });

  it('is null without a candidate', async () => {
    const { reader, embedder } = await small();
    const none = await candidatesFor('tune', reader, embedder, new Uint8Array(reader.accept([]).length));
    expect(confidenceSignalsOf(none, { order: [], scores: new Float32Array() }, () => false)).toBeNull();
    expect(isWeak(null)).toBe(true);
  });

  it('does not depend on the requested number of hits', async () => {
    const index = await small();
    const [one, five] = await Promise.all(
      [1, 5].map((limit) => search({ query: 'tune slow queries, read the query plan', limit }, index)),
    );
    expect(one!.confidence).toBe(five!.confidence);
  });
});
