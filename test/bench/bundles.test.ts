import { describe, expect, it } from 'vitest';
import { bundleRows, bundleTable } from '../../bench/bundles.ts';
import { openCorpus } from '../../bench/corpus.ts';
import { EXAMPLE_SKILLS, here, MODELS } from '../../bench/paths.ts';
import { sourcesOf } from '../../bench/sources.ts';
import { openEmbedder } from '../../src/embed/public.ts';
import { readDatasetFolder } from '../../src/evaluation/public.ts';

describe('bundleTable', () => {
  it('compares completeness, recall and precision with as many plain hits', () => {
    const needed = new Set(['a', 'b']);
    const text = bundleTable('toy', 9, [
      // Only the bundle is complete. One of three plain hits is needed.
      { bundle: ['a', 'b', 'c'], plain: ['c', 'd', 'a', 'b'], needed, tokens: 10 },
      // Neither is complete.
      { bundle: ['a'], plain: ['a', 'b'], needed, tokens: 30 },
    ]);
    expect(text).toContain('2 tasks that need 2.00 skills on average, of 9; a bundle takes 20 tokens');
    // Bundles: 2 skills, 1 of 2 complete, recall (1 + 0.5) / 2, precision (2/3 + 1) / 2.
    expect(text).toMatch(/^bundle +2\.00 +50\.0 +75\.0 +83\.3$/m);
    // As many plain hits: recall (0.5 + 0.5) / 2, precision (1/3 + 1) / 2.
    expect(text).toMatch(/^as many plain hits +2\.00 +0\.0 +50\.0 +66\.7$/m);
    expect(text).toContain('complete: 50.0 points');
  });
});

describe('bundles of the shipped tasks', () => {
  it('are complete more often than as many plain hits', { timeout: 120_000 }, async () => {
    const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
    const dataset = await readDatasetFolder(here('datasets/several'));
    expect(dataset.notes).toEqual([]);
    const corpus = await openCorpus(sourcesOf([EXAMPLE_SKILLS]), embedder);
    const rows = await bundleRows(corpus, dataset);
    await corpus.close();
    expect(rows).toHaveLength(40);
    const complete = (of: (row: (typeof rows)[number]) => readonly string[]) =>
      rows.filter((row) => [...row.needed].every((id) => of(row).includes(id))).length;
    const plain = complete(({ bundle, plain }) => plain.slice(0, bundle.length));
    expect(complete(({ bundle }) => bundle)).toBeGreaterThan(plain);
    // All needed skills are in the corpus, and ten hits hold nearly all of them.
    expect(complete(({ plain }) => plain)).toBeGreaterThan(plain);
  });
});
