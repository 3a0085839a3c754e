/**
 * `npm run bench -- published`: test sets that others published figures on, each tool as a skill folder, with their measures and
 * next to their figures. Nothing is fitted to these sets: `test/bench/published.test.ts` keeps their texts out of all training data.
 */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatasetError, readDataset } from '../extensions/eval/dataset.ts';
import type { Measure } from '../extensions/eval/measures.ts';
import { ndcg } from '../extensions/eval/measures.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { openCorpus } from './corpus.ts';
import { bm25, wordsOf } from './evaluation/bm25.ts';
import { completeness, recall } from './evaluation/ranking.ts';
import { mean } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';
import { measure } from './measure.ts';
import { MODELS, withScratchFolder } from './paths.ts';
import { progressBar } from './progress.ts';
import { writeTables } from './readme.ts';
import { publish } from './results-file.ts';
import { scanOnce, sourcesOf } from './sources.ts';
import { bm25Card } from './systems/bm25.ts';
import { hybrid } from './systems/hybrid.ts';
import type { BenchmarkSystem } from './systems/system.ts';

/** A row that others published: per cent by measure, null where they give none. */
type PublishedRow = readonly [system: string, ...figures: (number | null)[]];

interface PublishedSet {
  readonly name: string;
  /** Folder of `queries.jsonl`, and those of `qrels.tsv` (default: the same) and of the skills. */
  readonly queries: string;
  readonly qrels?: string;
  readonly skills: string;
  readonly measures: readonly Measure[];
  /** Where the rows stand. */
  readonly source: string;
  /** The first row is the published BM25 where there is one. */
  readonly rows: readonly PublishedRow[];
}

const [R1, R3, R5] = [recall(1), recall(3), recall(5)];
const [N3, N5, N10] = [ndcg(3), ndcg(5), ndcg(10)];
const MFTR = 'arXiv 2602.05366; it is not known whether its queries hold the instruction';

export const PUBLISHED_SETS: readonly PublishedSet[] = [
  {
    name: 'toollens',
    queries: 'toollens',
    skills: 'toollens/skills',
    measures: [R3, R5, N3, N5, completeness(3), completeness(5)],
    source: 'arXiv 2405.16089, table 3',
    rows: [
      ['BM25, published', 21.58, 26.88, 23.19, 26.09, 3.89, 6.13],
      ['ANCE, zero-shot, published', 20.82, 26.56, 21.45, 24.57, 5.06, 7.46],
      ['Contriever, zero-shot, published', 25.67, 31.15, 26.96, 29.95, 7.46, 9.8],
      ['COLT, trained on the set, published', 93.64, 97.75, null, null, null, null],
    ],
  },
  {
    name: 'metatool-single',
    queries: 'metatool/single',
    skills: 'metatool/skills',
    measures: [R1, R5, N5],
    source: 'arXiv 2408.01875',
    rows: [
      ['BM25, published', 27.16, 46.18, null],
      ['Vertex AI embeddings, published', 52.65, 75.74, null],
      ['Re-Invoke with BM25 (a large model rewrites), published', 52.55, 71.93, null],
      ['Re-Invoke with embeddings, published', 67.15, 87.07, 78.21],
    ],
  },
  {
    name: 'metatool-multi',
    queries: 'metatool/multi',
    skills: 'metatool/skills',
    measures: [R5, N5],
    source: 'arXiv 2408.01875',
    rows: [['Re-Invoke with embeddings (a large model rewrites), published', null, 72.31]],
  },
  ...(['apibank', 'gorilla'] as const).flatMap((name) =>
    (['', '/with-instruction'] as const).map((part) => ({
      name: `toolret-${name}${part.replace('/', '-')}`,
      queries: `toolret-${name}${part}`,
      qrels: `toolret-${name}`,
      skills: `toolret-${name}/skills`,
      measures: [R5, N10],
      source: MFTR,
      rows: [
        ['MFTR, trained, published', null, { apibank: 73.2, gorilla: 38.49 }[name]],
      ] as const satisfies readonly PublishedRow[],
    })),
  ),
];

/** Points by which BM25 on the same folders may differ from the published BM25: their stop words and stems are others. */
const PROTOCOL = 4;

interface PublishedOptions {
  /** The unpacked folder; absent: `published.tar.xz` of the folder in `SKILLGATE_SHARED_DATA`. */
  readonly data?: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

export const measurePublished = ({ data, write }: PublishedOptions): Promise<void> =>
  withPublished(data, async (folder) => {
    const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
    const show = progressBar();
    const tables: string[] = [];
    for (const set of PUBLISHED_SETS) {
      const corpus = await openCorpus(scanOnce(sourcesOf([join(folder, set.skills)])), embedder);
      try {
        const dataset = await readDataset({
          name: set.name,
          queries: join(folder, set.queries, 'queries.jsonl'),
          qrels: join(folder, set.qrels ?? set.queries, 'qrels.tsv'),
        });
        const { evaluations } = await measure([plainBm25, bm25Card, ranksOnly], corpus, dataset, {
          onProgress: show,
        });
        const figures = evaluations.map(({ results }) =>
          set.measures.map(({ compute }) =>
            mean(
              results.map(({ query, ranking }) =>
                compute(
                  ranking.map(({ id }) => id),
                  dataset.qrels.get(query.id)!,
                ),
              ),
            ),
          ),
        );
        tables.push(tableOf(set, corpus.skills.length, dataset.queries.length, figures));
      } finally {
        await corpus.close();
      }
    }
    await publish({ name: 'published', title: 'Published sets', figures: tables.join('\n\n') }, write);
    if (write !== undefined) await writeTables();
  });

/** What the papers seem to have measured; `bm25-card` is our strongest baseline. */
const plainBm25: BenchmarkSystem = {
  name: 'bm25-plain',
  about: 'BM25 (k1 1.2, b 0.75) on all text, words as they are.',
  build: async ({ skills, body }) =>
    bm25(
      skills.map(({ id }) => id),
      skills.map(({ id }) => body(id)),
      wordsOf,
    ),
};

/** The product without its confidence, which would cost a second search of each query. */
const ranksOnly: BenchmarkSystem = {
  ...hybrid,
  build: async (corpus) => {
    const built = await hybrid.build(corpus);
    return built === null ? null : { search: built.search };
  },
};

/** Opens the sets: `data`, or unpacked for the time of `use`. Throws `DATASET_UNREADABLE` where neither is there. */
export async function withPublished<T>(
  data: string | undefined,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  if (data !== undefined) return use(resolve(data));
  const { SKILLGATE_SHARED_DATA: shared } = process.env;
  const archive = join(shared ?? '', 'published.tar.xz');
  if (shared === undefined || !existsSync(archive))
    throw new DatasetError(
      'DATASET_UNREADABLE',
      'The published sets are not here. Name their folder with --data DIR, or that of published.tar.xz in SKILLGATE_SHARED_DATA.',
    );
  return withScratchFolder(async (folder) => {
    execFileSync('tar', ['-xJf', archive, '-C', folder]);
    return use(existsSync(join(folder, 'published')) ? join(folder, 'published') : folder);
  });
}

/** `figures`: 0–1, of plain BM25, BM25 on cards and the product. */
function tableOf(
  { name, measures, source, rows }: PublishedSet,
  tools: number,
  queries: number,
  figures: readonly (readonly number[])[],
): string {
  const own = figures.map((row) => row.map((figure) => 100 * figure));
  const cell = (value: number | null | undefined) => (value == null ? '–' : value.toFixed(2));
  const [published] = rows.filter(([system]) => system.startsWith('BM25'));
  const apart = Math.max(
    ...(published ?? []).map((figure, at) =>
      typeof figure === 'number' ? Math.abs(figure - own[0]![at - 1]!) : 0,
    ),
  );
  const protocol =
    published === undefined
      ? 'no published BM25 to check the protocol by'
      : `plain BM25 is at most ${apart.toFixed(1)} points from the published one${
          apart <= PROTOCOL ? '' : ': THE PROTOCOLS DIFFER'
        }`;
  return `${columns([
    [`${name}: ${tools} tools, ${queries} queries`, ...measures.map((each) => each.name)],
    ...rows.map(([system, ...given]) => [system, ...given.map(cell)]),
    ...['plain BM25 on all text', 'BM25 on name and description', 'skillgate'].map((system, at) => [
      system,
      ...own[at]!.map(cell),
    ]),
  ])}Source: ${source}; ${protocol}.`;
}
