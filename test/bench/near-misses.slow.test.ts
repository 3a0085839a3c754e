/** What the search claims where something is near but nothing fits, over the example skills; the bench asks it of real slices. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCollection } from '../../bench/collection.ts';
import { type Corpus, openCorpus } from '../../bench/corpus.ts';
import { EXAMPLE_SKILLS, MODELS, SHIPPED_DATASET } from '../../bench/paths.ts';
import type { Dataset } from '../../extensions/eval/dataset.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';
import { search } from '../../src/search/search.ts';
import { type Verdict, verdictOf } from '../../src/search/verdict.ts';

let corpus: Corpus;
let dataset: Dataset;

beforeAll(async () => {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const collection = await openCollection(SHIPPED_DATASET, [EXAMPLE_SKILLS]);
  dataset = collection.dataset;
  corpus = await openCorpus(collection.sources, embedder);
}, 120_000);
afterAll(() => corpus?.close());

/** For each verdict the share of the queries of this group that get it, 0–1. */
async function judge(group: string): Promise<Readonly<Record<Verdict, number>>> {
  const { reader, embedder } = corpus;
  const queries = dataset.queries.filter(({ id }) => id.startsWith(group));
  expect(queries.length).toBeGreaterThan(30);
  const shares = { fits: 0, perhaps: 0, none: 0 };
  for (const { text } of queries) {
    const { fit } = await search({ query: text, limit: 1 }, { reader, embedder, now: () => 0 });
    shares[verdictOf(fit)] += 1 / queries.length;
  }
  return shares;
}

describe('the verdict that a skill fits', () => {
  it.each([
    ['something is near', 'ex-nn', 0.08],
    ['nothing is', 'ex-nf', 0.05],
  ])('is seldom claimed where %s', async (_, group, most) => {
    expect((await judge(group)).fits).toBeLessThanOrEqual(most);
  });

  it.each([
    ['agents', 'ex-a', 0.8],
    ['users', 'ex-u', 0.45],
  ])(
    'is claimed for most of what %s ask of the skills, and few are told that none does',
    async (_, group, least) => {
      const { fits, none } = await judge(group);
      expect(fits).toBeGreaterThanOrEqual(least);
      expect(none).toBeLessThanOrEqual(0.09);
    },
  );
});
