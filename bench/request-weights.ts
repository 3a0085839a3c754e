/**
 * `npm run bench -- request-weights`: does the weight of requests hold for repositories that it was not chosen on? Five folds of
 * repositories; for each, the weight that is best on the other four is compared with the shipped one.
 */

import type { Embedder } from '../index/embedder.ts';
import type { Reader } from '../index/reader/reader.ts';
import { candidatesFor } from '../src/search/candidates.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { foldCopies, rankCandidates, WRITTEN } from '../src/search/ranking.ts';
import { mean } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './paths.ts';
import { progressBar } from './progress.ts';
import { type Asked, type Carried, carriedCosines, readRows } from './requests.ts';
import { publish } from './results-file.ts';

interface WeightsOptions {
  readonly index: string;
  /** Folder of the datasets: train, agent, dev, dev-2, skill-evals. */
  readonly data: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const WEIGHTS = [0.7, 0.8, 0.85, 0.875, WRITTEN, 0.925, 0.95, 1, 1.1];
const SHIPPED = WEIGHTS.indexOf(WRITTEN);
const FOLDS = 5;
/** What a weight may cost requests for skills that carry none, in percentage points of Hit@1. */
const MOST_LOST = 0.3;

/** A request, whether the right skill was first with each of `WEIGHTS`, and the repository of that skill. */
interface Outcome {
  readonly repository: string;
  readonly isCarried: boolean;
  readonly right: readonly boolean[];
  /** The same without requests. */
  readonly without: boolean;
}

export async function measureWeights({ index, data, write }: WeightsOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(index, embedder);
  await reader.openVectors();
  const outcomes: Outcome[] = [];
  for (const [, asked, carried] of await readRows(data))
    outcomes.push(...(await ask(asked, carried, reader, embedder)));
  reader.close();
  await publish(
    {
      name: 'request-weights',
      title: 'The weight of requests, over repositories',
      figures: tableOf(outcomes),
      conditions: `What each weight changes of Hit@1, in percentage points: for requests whose skills carry others / for those whose skills carry none. A fold is a fifth of the requests, by the repository of the right skill. *chosen*: of the weights that cost the latter at most ${MOST_LOST} on the other four folds, the one that gains most there.`,
    },
    write,
  );
}

/** Finds the candidates once, and ranks them with each weight. Requests that the index itself holds do not count. */
async function ask(
  asked: readonly Asked[],
  carried: Carried,
  reader: Reader,
  embedder: Embedder,
): Promise<Outcome[]> {
  const cosines = await carriedCosines(carried, embedder);
  const outcomes: Outcome[] = [];
  const show = progressBar();
  for (const [done, { text, best }] of asked.entries()) {
    show('requests', done, asked.length);
    const candidates = await candidatesFor(text, reader, embedder, reader.accept([]));
    const similar = cosines(candidates.vector, reader, candidates.ordinals);
    const [without = false, ...right] = [0, ...WEIGHTS].map((weight) => {
      const ranking = rankCandidates(
        reader,
        candidates,
        similar.map((cosine) => weight * cosine),
      );
      const [first] = foldCopies(ranking, { foldTwins: false, to: 1 }).groups;
      return first !== undefined && best.has(reader.key(candidates.ordinals[first.leader]!));
    });
    const [skill = ''] = [...best].sort();
    const isCarried = [...best].some((id) => carried.has(id));
    outcomes.push({ repository: skill.slice(0, skill.indexOf('/')), isCarried, right, without });
  }
  show('requests', asked.length, asked.length);
  return outcomes;
}

function tableOf(outcomes: readonly Outcome[]): string {
  const folds = foldsOf(outcomes);
  const head = ['fold', 'repositories', 'requests', ...WEIGHTS.map((weight) => `× ${weight}`)];
  const rows = folds.map((fold, at) => {
    const gains = gainsOf(fold);
    const chosen = choose(gainsOf(folds.filter((other) => other !== fold).flat()));
    const difference = signed(gains[SHIPPED]!.carried - gains[chosen]!.carried);
    return [...rowOf(String(at + 1), fold), String(WEIGHTS[chosen]), difference];
  });
  return columns([[...head, 'chosen', 'shipped − chosen'], ...rows, rowOf('all', outcomes)]);
}

const rowOf = (name: string, outcomes: readonly Outcome[]) => [
  name,
  String(new Set(outcomes.map(({ repository }) => repository)).size),
  String(outcomes.length),
  ...gainsOf(outcomes).map(({ carried, others }) => `${signed(carried)} / ${signed(others)}`),
];

interface Gain {
  readonly carried: number;
  readonly others: number;
}

/** Of each weight, against no requests; percentage points. */
function gainsOf(outcomes: readonly Outcome[]): Gain[] {
  const gain = (all: readonly Outcome[], at: number) =>
    100 * mean(all.map(({ without, right }) => Number(right[at]) - Number(without)));
  const carried = outcomes.filter(({ isCarried }) => isCarried);
  const others = outcomes.filter(({ isCarried }) => !isCarried);
  return WEIGHTS.map((_, at) => ({ carried: gain(carried, at), others: gain(others, at) }));
}

/** Place of the weight. */
function choose(gains: readonly Gain[]): number {
  const harmless = gains.map(({ carried, others }) => (others < -MOST_LOST ? -Infinity : carried));
  return harmless.indexOf(Math.max(...harmless));
}

const signed = (points: number) => `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;

/** Whole repositories, the largest first, each into the smallest fold. */
function foldsOf(outcomes: readonly Outcome[]): Outcome[][] {
  const byRepository = new Map<string, Outcome[]>();
  for (const outcome of outcomes)
    byRepository.set(outcome.repository, [...(byRepository.get(outcome.repository) ?? []), outcome]);
  const groups = [...byRepository].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
  const folds: Outcome[][] = Array.from({ length: FOLDS }, () => []);
  for (const [, group] of groups) {
    const least = Math.min(...folds.map(({ length }) => length));
    folds.find(({ length }) => length === least)!.push(...group);
  }
  return folds;
}
