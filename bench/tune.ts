/**
 * Fits the weights of the ranking: `tsx bench/tune.ts --index DIR --dataset DIR [--dataset DIR …]`.
 *
 * Listwise (softmax over each query's candidates against its graded gains; Cao et al., ICML 2007), non-negative, each
 * dataset with the same weight. Printed figures are cross-validated over repositories (the first segment of a skill's
 * id). A query belongs to the repository of its first skill of the highest grade. The weights that judge it were fitted
 * without the queries of that repository, though not without all of its skills. Also leaves out one feature at a time, to
 * show what each is worth.
 */

import { parseArgs } from 'node:util';
import { candidatesFor } from '../src/search/candidates.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import type { FeatureName } from '../src/search/features.ts';
import { Adam } from './adam.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean } from './evaluation/statistics.ts';
import { percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';

const FOLDS = 5;
const ROUNDS = 80;
const RATE = 0.08;
/** Factor on scores before the softmax: weights near 1 can then separate candidates. */
const SHARPNESS = 10;
/** L2 on the weights: without it the weights of correlated features drift. */
const RIDGE = 1e-3;

interface Row {
  readonly dataset: string;
  readonly style: string;
  readonly repository: string;
  /** `Float64Array[candidates × features]`, row-major. */
  readonly features: Float64Array;
  readonly grades: Float32Array;
  /** Sum of the candidates' gains. */
  readonly gains: number;
  /** DCG@10 of the best possible ranking of the whole catalog. */
  readonly ideal: number;
  readonly top: number;
}

const { values } = parseArgs({
  options: {
    index: { type: 'string' },
    dataset: { type: 'string', multiple: true },
    models: { type: 'string', default: 'models' },
    naming: { type: 'boolean', default: false },
  },
});
if (values.index === undefined || values.dataset === undefined)
  throw new Error('Give --index DIR and --dataset DIR.');

const embedder = await openEmbedder(undefined, { modelsFolder: values.models });
const reader = openIndex(values.index, embedder);
const names = Object.keys(
  (await candidatesFor('', reader, embedder, reader.accept([]))).features,
) as FeatureName[];
const rows: Row[] = [];
for (const folder of values.dataset) rows.push(...(await rowsOf(folder)));

const all = names.map((_, at) => at);
report('all features', all);
for (const left of all)
  report(
    `without ${names[left]}`,
    all.filter((at) => at !== left),
  );
let kept = all;
for (;;) {
  const tried = kept.map((left) => ({
    left,
    loss: crossValidated(kept.filter((at) => at !== left)).objective,
  }));
  const best = tried.sort((a, b) => b.loss - a.loss)[0]!;
  if (kept.length <= 2 || best.loss < crossValidated(kept).objective - 0.05) break;
  kept = kept.filter((at) => at !== best.left);
}
report('kept', kept);
for (const style of new Set(rows.map((row) => `${row.dataset}/${row.style}`))) {
  const { judged } = crossValidated(kept);
  const some = judged.filter(({ row }) => `${row.dataset}/${row.style}` === style);
  if (some.length >= 10)
    console.log(`  ${style.padEnd(30)} ${String(some.length).padStart(4)}  ${figures(some)}`);
}

async function rowsOf(folder: string): Promise<Row[]> {
  const dataset = await readDatasetFolder(folder);
  const { name } = dataset;
  const result: Row[] = [];
  for (const query of dataset.queries) {
    const grades = dataset.qrels.get(query.id);
    if (grades === undefined || (!values.naming && query.namesSkill === true)) continue;
    const { ordinals, features } = await candidatesFor(query.text, reader, embedder, reader.accept([]));
    const keys = Array.from(ordinals, (ordinal) => reader.key(ordinal));
    const top = Math.max(...grades.values());
    const gains = [...grades.values()].map((grade) => 2 ** grade - 1).sort((a, b) => b - a);
    const best = [...grades].find(([, grade]) => grade === top)![0];
    const found = Float32Array.from(keys, (key) => grades.get(key) ?? 0);
    result.push({
      dataset: name,
      style: query.style ?? '',
      repository: best.split('/')[0]!,
      features: rowMajor(names.map((feature) => features[feature])),
      grades: found,
      gains: found.reduce((sum, grade) => sum + 2 ** grade - 1, 0),
      ideal: gains.slice(0, 10).reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0),
      top,
    });
  }
  return result;
}

interface Judged {
  readonly row: Row;
  readonly hit: number;
  readonly ndcg: number;
}

function crossValidated(columns: readonly number[]): { judged: Judged[]; objective: number } {
  const repositories = [...new Set(rows.map((row) => row.repository))].sort();
  const foldOf = new Map(repositories.map((repository, at) => [repository, at % FOLDS]));
  const judged: Judged[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const weights = fitWeights(
      rows.filter((row) => foldOf.get(row.repository) !== fold),
      columns,
    );
    for (const row of rows)
      if (foldOf.get(row.repository) === fold) judged.push(judge(row, columns, weights));
  }
  const sets = [...new Set(rows.map((row) => row.dataset))].map((name) =>
    judged.filter(({ row }) => row.dataset === name),
  );
  const objective = mean(
    sets.map((set) => 50 * mean(set.map(({ hit }) => hit)) + 50 * mean(set.map(({ ndcg }) => ndcg))),
  );
  return { judged, objective };
}

function rowMajor(columns: readonly Float32Array[]): Float64Array {
  const count = columns[0]!.length;
  const table = new Float64Array(count * columns.length);
  columns.forEach((column, at) => {
    for (let row = 0; row < count; row += 1) table[row * columns.length + at] = column[row]!;
  });
  return table;
}

function fitWeights(training: readonly Row[], columns: readonly number[]): Float64Array {
  const width = names.length;
  const counts = new Map<string, number>();
  for (const row of training) counts.set(row.dataset, (counts.get(row.dataset) ?? 0) + 1);
  const weights = new Float64Array(columns.length).fill(0.3);
  const adam = new Adam(columns.length);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const gradient = weights.map((weight) => 2 * RIDGE * weight);
    for (const row of training) {
      if (row.gains === 0) continue;
      const odds = scoresOf(row, columns, weights);
      let most = Number.NEGATIVE_INFINITY;
      for (let at = 0; at < odds.length; at += 1) most = Math.max(most, odds[at]!);
      let sum = 0;
      for (let at = 0; at < odds.length; at += 1) {
        odds[at] = Math.exp(SHARPNESS * (odds[at]! - most));
        sum += odds[at]!;
      }
      const share = SHARPNESS / counts.get(row.dataset)!;
      for (let at = 0; at < odds.length; at += 1) {
        const error = share * (odds[at]! / sum - (2 ** row.grades[at]! - 1) / row.gains);
        for (let position = 0; position < columns.length; position += 1)
          gradient[position]! += error * row.features[at * width + columns[position]!]!;
      }
    }
    const rate = RATE * Math.min(1, round / 10) * (1 - round / (ROUNDS + 1));
    adam.step(weights, gradient, rate, (weight) => Math.max(0, weight));
  }
  return weights;
}

function scoresOf(row: Row, columns: readonly number[], weights: Float64Array): Float64Array {
  const width = names.length;
  const scores = new Float64Array(row.grades.length);
  for (let at = 0; at < scores.length; at += 1) {
    let score = 0;
    for (let position = 0; position < columns.length; position += 1)
      score += weights[position]! * row.features[at * width + columns[position]!]!;
    scores[at] = score;
  }
  return scores;
}

function judge(row: Row, columns: readonly number[], weights: Float64Array): Judged {
  const scores = scoresOf(row, columns, weights);
  const order = Array.from(scores.keys())
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
    .slice(0, 10);
  const dcg = order.reduce(
    (sum, at, position) => sum + (2 ** row.grades[at]! - 1) / Math.log2(position + 2),
    0,
  );
  return { row, hit: order.length > 0 && row.grades[order[0]!] === row.top ? 1 : 0, ndcg: dcg / row.ideal };
}

function report(label: string, columns: readonly number[]): void {
  const { judged, objective } = crossValidated(columns);
  const weights = fitWeights(rows, columns);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const sets = [...new Set(rows.map((row) => row.dataset))].map(
    (name) => `${name} ${figures(judged.filter(({ row }) => row.dataset === name))}`,
  );
  console.log(`${label.padEnd(24)} ${objective.toFixed(2)}  ${sets.join('  ')}`);
  console.log(
    `  ${columns.map((column, at) => `${names[column]}: ${(weights[at]! / sum).toFixed(3)}`).join(', ')}`,
  );
}

function figures(judged: readonly Judged[]): string {
  const [hit, ndcg] = [judged.map((row) => row.hit), judged.map((row) => row.ndcg)];
  return `Hit@1 ${percent(mean(hit))} nDCG@10 ${percent(mean(ndcg))}`;
}
