/**
 * `npm run bench -- stuffing`: can an author raise a skill by keyword stuffing? For each query, a skill that does not
 * answer it is drawn at random, stuffed in several ways, and scored as if it were indexed with that text. The table also
 * has the plain rankings that most skill searches use.
 */

import { RankingScenario } from '../extensions/authoring/ranking-scenario.ts';
import { candidatesFor } from '../src/search/candidates.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { firstSignalsOf } from '../src/search/features.ts';
import { entryAt } from '../src/search/search.ts';
import { bm25 } from './evaluation/bm25.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean, seeded, shuffled } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './paths.ts';
import { progressBar } from './progress.ts';
import { publish } from './results-file.ts';
import { counterfactualOf, RECIPES, type Recipe } from './stuffing-recipes.ts';

interface StuffingOptions {
  readonly index: string;
  readonly dataset: string;
  readonly queries: number;
  readonly seed: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** Ranks of one stuffed skill, from 1. */
interface Ranks {
  readonly hybrid: number;
  readonly words: number;
  readonly 'dense-card': number;
  readonly 'bm25-card': number;
}
const SYSTEMS = ['hybrid', 'words', 'dense-card', 'bm25-card'] as const;

export async function measureStuffing(options: StuffingOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  await reader.openVectors();
  const accept = reader.accept([]);
  const ordinals = reader.ordinalsByKey().slice().sort();
  const entries = Array.from(ordinals, (ordinal) => entryAt(reader, ordinal));
  const card = bm25(
    entries.map(({ id }) => id),
    entries.map(({ name, description }) => `${name}\n${description}`),
  );
  const dataset = await readDatasetFolder(options.dataset);
  const random = seeded(options.seed);
  const asked = shuffled(dataset.queries, random).slice(0, options.queries);
  const popular = popularWords(dataset.queries.map(({ text }) => text));
  const ranks = new Map<Recipe, Ranks[]>(RECIPES.map((recipe) => [recipe, []]));
  const show = progressBar();
  for (const [done, { id, text }] of asked.entries()) {
    show('queries', done, asked.length);
    const grades = dataset.qrels.get(id);
    const candidates = await candidatesFor(text, reader, embedder, accept);
    const { words, vector } = candidates;
    const all = firstSignalsOf(reader, ordinals, words, vector);
    const plain = card.scores(text);
    let at = 0;
    do at = Math.floor(random() * ordinals.length);
    while ((grades?.get(entries[at]!.id) ?? 0) > 0);
    const ordinal = ordinals[at]!;
    const scenario = await RankingScenario.open({ reader }, candidates, { ordinal, accept });
    const now = await scenario.asIndexed();
    const first = now.leaders.find((leader) => now.ordinals[leader] !== ordinal)!;
    const winner = entryAt(reader, now.ordinals[first]!);
    for (const recipe of RECIPES) {
      const stuffed = recipe.stuff({ entry: entries[at]!, query: text, popular, winner });
      const counterfactual = await counterfactualOf({ reader, embedder, words, vector, ordinal }, stuffed);
      const { rank } = scenario.with(counterfactual);
      const above = (scores: ArrayLike<number>, own: number) =>
        1 + Array.from(scores).filter((score, other) => other !== at && score > own).length;
      ranks.get(recipe)!.push({
        hybrid: rank,
        words: above(all.bm25f, counterfactual.signals.bm25f[0]!),
        'dense-card': above(all.card, counterfactual.signals.card[0]!),
        'bm25-card': above(plain, card.scoreOf(text, `${stuffed.entry.name}\n${stuffed.entry.description}`)),
      });
    }
  }
  show('queries', asked.length, asked.length);
  reader.close();
  await publish(
    {
      name: 'stuffing',
      title: 'Keyword stuffing',
      figures: table(ranks, asked.length, entries.length),
      conditions: `Seed ${options.seed}.`,
    },
    options.write,
  );
}

/** The two hundred words that most queries hold. */
function popularWords(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const word of new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? []))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, 200)
    .map(([word]) => word);
}

function table(ranks: ReadonlyMap<Recipe, readonly Ranks[]>, queries: number, skills: number): string {
  const share = (rows: readonly Ranks[], system: keyof Ranks, most: number) =>
    percent(mean(rows.map((row) => (row[system] <= most ? 1 : 0))));
  const head = ['stuffed with', ...SYSTEMS.flatMap((system) => [`${system} first`, 'in 5'])];
  const rows = [...ranks].map(([{ label }, all]) => [
    label,
    ...SYSTEMS.flatMap((system) => [share(all, system, 1), share(all, system, 5)]),
  ]);
  return `${queries} queries, one of ${skills} skills stuffed for each: share that ranks first, and in the first five, in per cent\n\n${columns([head, ...rows])}`;
}
