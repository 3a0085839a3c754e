import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCollection } from '../../bench/collection.ts';
import { type Corpus, openCorpus } from '../../bench/corpus.ts';
import { type Expected, readExpected, scoresOf } from '../../bench/expected.ts';
import { measure } from '../../bench/measure.ts';
import { EXAMPLE_SKILLS, MODELS, SHIPPED_DATASET } from '../../bench/places.ts';
import { armsNamed } from '../../bench/systems/all.ts';
import type { Evaluation } from '../../src/evaluation/evaluation.ts';
import { openEmbedder } from '../../src/public.ts';

describe('the shipped dataset', () => {
  let expected: Expected;
  let corpus: Corpus;
  let evaluations: readonly Evaluation[];

  beforeAll(async () => {
    expected = await readExpected();
    const { dataset, sources } = await openCollection(SHIPPED_DATASET, [EXAMPLE_SKILLS]);
    corpus = await openCorpus(sources, await openEmbedder(undefined, { modelsFolder: MODELS }));
    ({ evaluations } = await measure(armsNamed(Object.keys(expected.scores)), corpus, dataset));
    // Six systems are built and asked: more than a hook's ten seconds on a busy machine.
  }, 120_000);
  afterAll(() => corpus?.close());

  it('is the one that the expected figures are of', () => {
    expect(expected.dataset).toBe(basename(SHIPPED_DATASET));
  });

  it('has every example skill in the corpus', () => {
    const folders = readdirSync(EXAMPLE_SKILLS, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(corpus.skills.map(({ id }) => id)).toEqual(folders.map(({ name }) => name).sort());
  });

  it('gives the expected figures, system by system and measure by measure', () => {
    const measured = Object.fromEntries(
      evaluations.map((evaluation) => [evaluation.system, scoresOf(evaluation)]),
    );
    expect(Object.keys(measured).sort()).toEqual(Object.keys(expected.scores).sort());
    for (const [system, scores] of Object.entries(expected.scores)) {
      const found = measured[system] ?? {};
      expect(Object.keys(found).sort(), system).toEqual(Object.keys(scores).sort());
      const off = Object.entries(scores).filter(
        ([name, score]) => !(Math.abs((found[name] ?? Number.NaN) - score) <= expected.tolerance),
      );
      expect(
        off.map(
          ([name, score]) =>
            `${system} ${name}: ${score} expected, ${found[name]} found; ${expected.command}`,
        ),
      ).toEqual([]);
    }
  });
});
