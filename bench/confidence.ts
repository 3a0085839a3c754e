/**
 * Fits the confidence of a search (`src/search/confidence.ts`):
 *
 *     tsx bench/confidence.ts --index DIR --dataset DIR [--dataset DIR …] [--rows FILE]
 *
 * Each query is asked in random catalogs of several sizes drawn from the index, and in the whole index: once with the
 * skills that answer it and once without. Functions fitted on the other datasets judge each dataset. All sizes of a
 * dataset have the same weight. The fit (does any skill answer?) is trained with one query in two unanswered, the
 * probability that the first hit is right with one in five.
 */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Reader } from '../index/reader/reader.ts';
import { candidatesFor } from '../src/search/candidates.ts';
import { type ConfidenceSignals, confidenceSignalsOf, readerOf } from '../src/search/confidence.ts';
import { similarityOf } from '../src/search/copies.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { ranked } from '../src/search/rank.ts';
import { Adam } from './adam.ts';
import { answersTo, batches } from './catalog-sizes.ts';
import { calibrationError, falsePositiveRate, rocArea } from './evaluation/confidence.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean, quantile } from './evaluation/statistics.ts';
import { calibrationText, percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';

const SIZES = [40, 150, 1_000];
const UNANSWERED = 0.2;
/** Share of the answerable queries that may be marked as weak. */
const WEAK_SHARE = 0.05;
const ROUNDS = 3_000;
const RATE = 0.05;
const RIDGE = 1e-4;

interface Row {
  readonly dataset: string;
  readonly size: number;
  readonly isAnswerable: boolean;
  /** Whether the best candidate has the query's highest grade. */
  readonly isRight: boolean;
  readonly signs: ConfidenceSignals;
}

const { values } = parseArgs({
  options: {
    index: { type: 'string' },
    dataset: { type: 'string', multiple: true },
    models: { type: 'string', default: 'models' },
    rows: { type: 'string' },
  },
});
if (values.index === undefined || values.dataset === undefined)
  throw new Error('Give --index DIR and --dataset DIR.');

const embedder = await openEmbedder(undefined, { modelsFolder: values.models });
const whole = openIndex(values.index, embedder);
const ordinals = new Map(Array.from(whole.ordinalsByKey(), (ordinal) => [whole.key(ordinal), ordinal]));
const ids = [...ordinals.keys()];

const rows: Row[] = [];
for (const folder of values.dataset) rows.push(...(await rowsOf(folder)));
if (values.rows !== undefined)
  writeFileSync(values.rows, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

const datasets = [...new Set(rows.map(({ dataset }) => dataset))];
for (const dataset of datasets) judge(dataset);
report('fit, all datasets', fitOf(rows));
report('first, all datasets', firstOf(rows, fitOf(rows)));

async function rowsOf(folder: string): Promise<Row[]> {
  const read = await readDatasetFolder(folder);
  const { name } = read;
  const dataset = { ...read, queries: read.queries.filter(({ namesSkill }) => namesSkill !== true) };
  const all: Row[] = [];
  for (const size of [...SIZES, ids.length]) {
    const parts =
      size === ids.length
        ? [{ queries: dataset.queries, skills: new Set(ids) }]
        : batches(dataset, ids, size);
    for (const { queries, skills } of parts) {
      const isWhole = size === ids.length;
      const reader = isWhole ? whole : whole.restrictedTo(acceptOnly(skills));
      // A small catalog holds random skills and the query's own answers, but not the answers to the batch's other queries.
      const answered = new Set(isWhole ? [] : queries.flatMap((query) => answersTo(dataset, query)));
      const foreign = [...skills].filter((id) => !answered.has(id));
      for (const query of queries) {
        const grades = dataset.qrels.get(query.id) ?? new Map<string, number>();
        const answers = new Set(answersTo(dataset, query));
        if (![...answers].some((id) => skills.has(id))) continue;
        const top = Math.max(...grades.values());
        for (const isAnswerable of [true, false]) {
          const given = isAnswerable ? [...foreign, ...answers] : foreign.filter((id) => !answers.has(id));
          const best = await firstHit(reader, query.text, acceptOnly(given));
          if (best === null) continue;
          const isRight = isAnswerable && grades.get(best.id) === top;
          all.push({ dataset: name, size, isAnswerable, isRight, signs: best.signs });
        }
      }
    }
  }
  return all;
}

function acceptOnly(skills: Iterable<string>): Uint8Array {
  const accept = new Uint8Array(whole.accept([]).length);
  for (const id of skills) {
    const ordinal = ordinals.get(id);
    if (ordinal !== undefined) accept[ordinal] = 1;
  }
  return accept;
}

async function firstHit(reader: Reader, query: string, accept: Uint8Array) {
  const candidates = await candidatesFor(query, reader, embedder, accept);
  const order = ranked(reader, candidates.ordinals, candidates.features);
  const { areTwins } = similarityOf(reader, candidates.ordinals, order.scores);
  const one = readerOf(candidates, reader);
  const signs = confidenceSignalsOf(candidates, order, areTwins, one);
  return signs === null ? null : { id: reader.key(candidates.ordinals[order.order[0]!]!), signs };
}

/** Log-odds as a weighted sum of the columns; the first weight is the intercept. */
interface Logistic {
  readonly columns: readonly string[];
  readonly weights: Float64Array;
  readonly odds: (row: Row) => number;
}

function fitOf(training: readonly Row[]): Logistic {
  const columns = [
    'card',
    'coverage',
    'match',
    'length',
    'specificity',
    'size',
    'product',
    'excluded',
    'otherName',
    'vague',
    'codes',
    'unknownCode',
    'smallTalk',
  ] as const;
  const inputs = ({ signs }: Row) => columns.map((column) => signs[column]);
  return logistic(training, columns, inputs, ({ isAnswerable }) => isAnswerable, 0.5);
}

/** Fitted on the fit's log-odds without its term for the catalog size. */
function firstOf(training: readonly Row[], fit: Logistic): Logistic {
  const size = fit.weights[1 + fit.columns.indexOf('size')]!;
  const inputs = (row: Row) => [
    fit.odds(row) - size * row.signs.size,
    row.signs.lead,
    row.signs.size,
    row.signs.brief,
  ];
  return logistic(training, ['fit', 'lead', 'size', 'brief'], inputs, ({ isRight }) => isRight, UNANSWERED);
}

function logistic(
  training: readonly Row[],
  columns: readonly string[],
  inputs: (row: Row) => number[],
  label: (row: Row) => boolean,
  unanswered: number,
): Logistic {
  const groups = new Map<string, number>();
  const groupOf = ({ dataset, size, isAnswerable }: Row) => `${dataset} ${size} ${isAnswerable}`;
  for (const row of training) groups.set(groupOf(row), (groups.get(groupOf(row)) ?? 0) + 1);
  const cases = training.map((row) => ({
    inputs: [1, ...inputs(row)],
    label: label(row) ? 1 : 0,
    weight: (row.isAnswerable ? 1 - unanswered : unanswered) / groups.get(groupOf(row))! / (groups.size / 2),
  }));
  const weights = new Float64Array(1 + columns.length);
  const adam = new Adam(weights.length);
  const sum = (values_: readonly number[]) =>
    values_.reduce((all, value, at) => all + value * weights[at]!, 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : 2 * RIDGE * weight));
    for (const each of cases) {
      const error = each.weight * (probabilityOf(sum(each.inputs)) - each.label);
      for (let at = 0; at < gradient.length; at += 1) gradient[at]! += error * each.inputs[at]!;
    }
    adam.step(weights, gradient, RATE * (1 - round / ROUNDS), (weight) => weight);
  }
  return { columns, weights, odds: (row) => sum([1, ...inputs(row)]) };
}

function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

function report(label: string, { columns, weights }: Logistic): void {
  const named = ['intercept', ...columns].map((column, at) => `${column} ${weights[at]!.toFixed(2)}`);
  console.log(`${label}: ${named.join(', ')}`);
}

/** Prints how functions fitted on the other datasets do on this one, at each size. */
function judge(dataset: string): void {
  const others = rows.filter((row) => row.dataset !== dataset);
  const training = others.length > 0 ? others : rows;
  const fit = fitOf(training);
  const first = firstOf(training, fit);
  const answerable = training.filter((row) => row.isAnswerable).map(fit.odds);
  const weakBelow = quantile(answerable, WEAK_SHARE);
  console.log(`${dataset}, fitted on the other datasets`);
  report('  fit', fit);
  report('  first', first);
  for (const size of new Set(rows.map((row) => row.size))) {
    const own = rows.filter((row) => row.dataset === dataset && row.size === size);
    const [answered, unanswered] = [true, false].map((is) => own.filter((row) => row.isAnswerable === is));
    const odds = [answered!, unanswered!].map((some) => some.map(fit.odds)) as [number[], number[]];
    const claims = answered!.map((row) => ({
      confidence: probabilityOf(first.odds(row)),
      right: row.isRight,
    }));
    const [area, fires] = [rocArea, falsePositiveRate(0.95)].map(({ compute }) => percent(compute(...odds)));
    const [weakAnswered, weakUnanswered] = odds.map((some) =>
      percent(mean(some.map((each) => Number(each < weakBelow)))),
    );
    const fits = own.map((row) => ({ confidence: probabilityOf(fit.odds(row)), right: row.isAnswerable }));
    console.log(
      `  ${String(size).padStart(6)} skills: ROC area ${area}, false positives ${fires}; fit, calibration error ${percent(calibrationError(fits))}; weak ${weakAnswered} of those with an answer, ${weakUnanswered} of those without; ${calibrationText(claims)}`,
    );
  }
}
