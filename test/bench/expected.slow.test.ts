import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCollection } from '../../bench/collection.ts';
import { type Corpus, openCorpus } from '../../bench/corpus.ts';
import { type Expected, readExpected, type Scores, scoresOf } from '../../bench/expected.ts';
import { measure } from '../../bench/measure.ts';
import { EXAMPLE_SKILLS, MODELS, SHIPPED_DATASETS } from '../../bench/paths.ts';
import { sourcesOf } from '../../bench/sources.ts';
import { systemsNamed } from '../../bench/systems/all.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';

let expected: Expected;
let corpus: Corpus;

beforeAll(async () => {
  expected = await readExpected();
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  corpus = await openCorpus(sourcesOf([EXAMPLE_SKILLS]), embedder);
  // A hook's default of ten seconds is too short on a busy machine.
}, 120_000);
afterAll(() => corpus?.close());

describe('the expected figures', () => {
  it('cover the shipped datasets', () => {
    expect(Object.keys(expected.datasets)).toEqual(SHIPPED_DATASETS.map((folder) => basename(folder)));
  });

  it('use a corpus with every example skill', () => {
    const folders = readdirSync(EXAMPLE_SKILLS, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(corpus.skills.map(({ id }) => id)).toEqual(folders.map(({ name }) => name).sort());
  });

  it.each(SHIPPED_DATASETS.map((folder) => [basename(folder), folder]))(
    'match a new run of %s for every system, group and measure',
    async (name, folder) => {
      const { dataset } = await openCollection(folder, [EXAMPLE_SKILLS]);
      const systems = expected.datasets[name] ?? {};
      const { evaluations } = await measure(systemsNamed(Object.keys(systems)), corpus, dataset);
      const measured = Object.fromEntries(
        evaluations.map((evaluation) => [evaluation.system, scoresOf(evaluation)]),
      );
      const found = flat(measured);
      expect([...found.keys()].sort()).toEqual([...flat(systems).keys()].sort());
      const off = [...flat(systems)].filter(
        ([figure, score]) => !(Math.abs((found.get(figure) ?? Number.NaN) - score) <= expected.tolerance),
      );
      expect(
        off.map(
          ([figure, score]) =>
            `${figure}: ${score} expected, ${found.get(figure)} found; ${expected.command}`,
        ),
      ).toEqual([]);
    },
    120_000,
  );
});

/** Scores by `system group measure`. */
function flat(systems: Readonly<Record<string, Scores>>): Map<string, number> {
  return new Map(
    Object.entries(systems).flatMap(([system, groups]) =>
      Object.entries(groups).flatMap(([group, values]) =>
        Object.entries(values).map(([name, value]) => [`${system} ${group} ${name}`, value] as const),
      ),
    ),
  );
}
