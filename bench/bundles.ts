/**
 * `npm run bench -- bundles`: does the bundle for a task with several parts hold all the skills that the task needs?
 * Compared with as many hits of a plain search, and with its first 2, 3, 5 and 10.
 */

import { resolve } from 'node:path';
import { openEmbedder } from '../src/embed/public.ts';
import {
  bootstrapInterval,
  columns,
  type Dataset,
  EvaluationError,
  mean,
  needsSeveral,
  percent,
  randomisationTest,
  targets,
} from '../src/evaluation/public.ts';
import { openCollection, requireAllBest } from './collection.ts';
import { type Corpus, openCorpus } from './corpus.ts';
import { EXAMPLE_SKILLS, MODELS, SHIPPED_DATASETS } from './paths.ts';
import { progressBar } from './progress.ts';
import { publish } from './results-file.ts';

interface BundlesOptions {
  /** Default: the shipped datasets, over the example skills. */
  readonly dataset?: readonly string[];
  readonly skills?: readonly string[];
  /** A query that does not say how many skills it needs, needs all of its best. */
  readonly needAll?: boolean;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** Depth of the longest plain answer. */
const DEEPEST = 10;

/** The two answers to one query. */
interface BundleRow {
  /** Ids in order of choice. */
  readonly bundle: readonly string[];
  /** Ids of a plain search, best first. */
  readonly plain: readonly string[];
  readonly needed: ReadonlySet<string>;
  readonly tokens: number;
}

export async function measureBundles(options: BundlesOptions): Promise<void> {
  const shipped = options.dataset === undefined;
  const skills = options.skills ?? (shipped ? [EXAMPLE_SKILLS] : []);
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const show = progressBar();
  const texts: string[] = [];
  for (const folder of options.dataset ?? SHIPPED_DATASETS) {
    const { dataset: read, sources, close } = await openCollection(resolve(folder), skills);
    const dataset = options.needAll ? requireAllBest(read) : read;
    try {
      const corpus = await openCorpus(sources, embedder);
      try {
        const rows = await bundleRows(corpus, dataset, (done, total) => show(dataset.name, done, total));
        if (rows.length === 0)
          throw new EvaluationError(
            'DATASET_INVALID',
            `No query of ${dataset.name} needs several skills: give "parts" in queries.jsonl, or --need-all.`,
          );
        texts.push(bundleTable(dataset.name, corpus.skills.length, rows));
      } finally {
        await corpus.close();
      }
    } finally {
      await close();
    }
  }
  await publish({ name: 'bundles', title: 'Bundles', figures: texts.join('\n\n') }, options.write);
}

/** Asks each query that needs several documents twice: for a bundle, and as a plain search. */
export async function bundleRows(
  { gateway }: Pick<Corpus, 'gateway'>,
  { queries, qrels }: Dataset,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<BundleRow[]> {
  const asked = queries.filter((query) => needsSeveral(query) && (qrels.get(query.id)?.size ?? 0) > 0);
  const rows: BundleRow[] = [];
  for (const { id, text } of asked) {
    const { members, tokens } = await gateway.bundle({ query: text });
    const { hits } = await gateway.search({ query: text, limit: DEEPEST, foldTwins: false });
    rows.push({
      bundle: members.map(({ entry }) => entry.id),
      plain: hits.map(({ entry }) => entry.id),
      needed: targets(qrels.get(id) ?? new Map()),
      tokens,
    });
    onProgress(rows.length, asked.length);
  }
  return rows;
}

interface Line {
  readonly label: string;
  readonly of: (row: BundleRow) => readonly string[];
}

const LINES: readonly Line[] = [
  { label: 'bundle', of: ({ bundle }) => bundle },
  { label: 'as many plain hits', of: ({ bundle, plain }) => plain.slice(0, bundle.length) },
  { label: 'top 2', of: ({ plain }) => plain.slice(0, 2) },
  { label: 'top 3', of: ({ plain }) => plain.slice(0, 3) },
  { label: 'top 5', of: ({ plain }) => plain.slice(0, 5) },
  { label: 'top 10', of: ({ plain }) => plain },
];

export function bundleTable(name: string, skills: number, rows: readonly BundleRow[]): string {
  const head = ['', 'skills', 'complete', 'recall', 'precision'];
  const lines = LINES.map(({ label, of }) => {
    const answers = rows.map((row) => ({ answer: of(row), needed: row.needed }));
    const hit = answers.map(({ answer, needed }) => answer.filter((id) => needed.has(id)).length);
    return [
      label,
      mean(answers.map(({ answer }) => answer.length)).toFixed(2),
      percent(mean(answers.map(complete))),
      percent(mean(answers.map(({ needed }, at) => hit[at]! / needed.size))),
      percent(mean(answers.map(({ answer }, at) => hit[at]! / Math.max(1, answer.length)))),
    ];
  });
  const differences = rows.map(
    ({ bundle, plain, needed }) =>
      complete({ answer: bundle, needed }) - complete({ answer: plain.slice(0, bundle.length), needed }),
  );
  const [low, high] = bootstrapInterval(differences).map((value) => (100 * value).toFixed(1));
  const needed = mean(rows.map((row) => row.needed.size)).toFixed(2);
  const tokens = mean(rows.map((row) => row.tokens)).toFixed(0);
  return [
    `${name}: ${rows.length} tasks that need ${needed} skills on average, of ${skills}; a bundle takes ${tokens} tokens to load`,
    '',
    columns([head, ...lines]),
    `bundle against as many plain hits, complete: ${(100 * mean(differences)).toFixed(1)} points, 95 % interval ${low} … ${high}, p ${randomisationTest(differences).toFixed(3)}`,
  ].join('\n');
}

const complete = ({ answer, needed }: { answer: readonly string[]; needed: ReadonlySet<string> }) =>
  [...needed].every((id) => answer.includes(id)) ? 1 : 0;
