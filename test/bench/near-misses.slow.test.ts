/** What the search claims where something is near but nothing fits, over the example skills; the bench asks it of real slices. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCollection } from '../../bench/collection.ts';
import { type Corpus, openCorpus } from '../../bench/corpus.ts';
import { EXAMPLE_SKILLS, MODELS, NEAR_MISSES, SHIPPED_DATASET } from '../../bench/paths.ts';
import { readDatasetFolder } from '../../extensions/lab/beir.ts';
import type { Dataset } from '../../extensions/lab/dataset.ts';
import { verdictOf } from '../../src/search/confidence.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';
import { search } from '../../src/search/search.ts';

let corpus: Corpus;
let dataset: Dataset;

beforeAll(async () => {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const collection = await openCollection(SHIPPED_DATASET, [EXAMPLE_SKILLS]);
  dataset = collection.dataset;
  corpus = await openCorpus(collection.sources, embedder);
}, 120_000);
afterAll(() => corpus?.close());

/** Share of the queries of this group for which the answer claims that a skill fits, 0–1. */
async function claimed(group: string): Promise<number> {
  const { reader, embedder } = corpus;
  const asked = dataset.queries.filter(({ id }) => id.startsWith(group));
  expect(asked.length).toBeGreaterThan(30);
  let claims = 0;
  for (const { text } of asked) {
    const { fit } = await search({ query: text, limit: 1 }, { reader, embedder, now: () => 0 });
    if (verdictOf(fit) === 'fits') claims += 1;
  }
  return claims / asked.length;
}

describe('the verdict that a skill fits', () => {
  it.each([
    ['something is near', 'ex-nn'],
    ['nothing is', 'ex-nf'],
  ])('is claimed for at most one request in ten where %s', async (_, group) => {
    expect(await claimed(group)).toBeLessThanOrEqual(0.1);
  });

  it('is claimed for most of what agents and users ask of the skills', async () => {
    expect(await claimed('ex-a')).toBeGreaterThanOrEqual(0.85);
    expect(await claimed('ex-u')).toBeGreaterThanOrEqual(0.7);
  });
});

describe('the near misses of the bench', () => {
  it('are sixty in two halves, with as many requests that a skill of their slice answers', async () => {
    const { queries, qrels } = await readDatasetFolder(NEAR_MISSES);
    for (const half of ['a', 'b'])
      for (const style of ['near', 'right']) {
        const own = queries.filter((query) => query.id.startsWith(half) && query.style === style);
        expect(own).toHaveLength(30);
        for (const { id } of own) expect(qrels.has(id)).toBe(style === 'right');
      }
  });
});
