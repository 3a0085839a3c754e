/**
 * `npm run bench -- agent`: search as agents use it. A model read a request and wrote the query; the query is asked here,
 * next to the request itself and to other ways to search, over an index on disk. Then the built server answers the same
 * queries, and the requests in other languages, and the tokens of its answers are counted. No model runs.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Embedder, Reader } from '#index';
import { openEmbedder } from '../src/embed/public.ts';
import {
  asSystem,
  columns,
  type Dataset,
  type Evaluation,
  evaluate,
  mean,
  percent,
  readDatasetFolder,
  type System,
} from '../src/evaluation/public.ts';
import { entryAt, search } from '../src/search/bench.ts';
import { openIndex } from './open-index.ts';
import { here, MODELS } from './paths.ts';
import { publish } from './results-file.ts';
import { bm25 } from './systems/bm25.ts';
import { toRankedDocuments } from './systems/ranked.ts';
import { tokensOf, tokensTable } from './tokens.ts';

interface AgentOptions {
  readonly index: string;
  readonly dataset: string;
  /** Folders of the index, for the server. */
  readonly skills: readonly string[];
  readonly program?: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

export async function measureAgent(options: AgentOptions): Promise<void> {
  const written = await readDatasetFolder(options.dataset);
  const raw = await withRequests(written, join(options.dataset, 'queries.jsonl'));
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const evaluations: Evaluation[] = [];
  for (const system of await systemsOver(reader, embedder)) evaluations.push(await evaluate(system, written));
  const requests = await evaluate(product(reader, embedder, 'skillgate, raw request'), raw);
  reader.close();
  const program = options.program ?? here('../dist/skillgate.js');
  const folders = options.skills.flatMap((folder) => ['--skills', folder]);
  const node = [program, 'serve', ...folders, '--index', options.index];
  const tokens = await tokensOf(node, [
    ...written.queries.map(({ text }) => text),
    ...(await requestsIn(join(options.dataset, 'other-languages.jsonl'))),
  ]);
  const figures = [ranksTable([...evaluations, requests], written), tokensTable(tokens)].join('\n');
  await publish({ name: 'agent', title: 'Queries that agents write', figures }, options.write);
}

const row = z.object({ _id: z.string(), request: z.string() });

const rowsIn = async (file: string) =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => row.parse(JSON.parse(line)));

/** The requests in other languages, whose answers are weak; none where the dataset has no such file. */
const requestsIn = async (file: string) =>
  existsSync(file) ? (await rowsIn(file)).map(({ request }) => request) : [];

/** The dataset with the requests in place of the queries that a model wrote for them. */
async function withRequests(dataset: Dataset, file: string): Promise<Dataset> {
  const requests = new Map((await rowsIn(file)).map(({ _id, request }) => [_id, request]));
  return {
    ...dataset,
    queries: dataset.queries.map((query) => ({ ...query, text: requests.get(query.id) ?? query.text })),
  };
}

const product = (reader: Reader, embedder: Embedder, name: string): System => ({
  name,
  search: asSystem((request) => search(request, { reader, embedder, now: () => performance.now() })).search,
});

async function systemsOver(reader: Reader, embedder: Embedder): Promise<System[]> {
  const ordinals = Array.from(reader.ordinalsByKey());
  const cards = bm25(
    ordinals.map((ordinal) => reader.key(ordinal)),
    ordinals.map((ordinal) => {
      const { name, description } = entryAt(reader, ordinal);
      return `${name}\n${description}`;
    }),
  );
  const vectors = await reader.openVectors();
  return [
    { name: 'bm25-card', search: (query, k) => cards.search(query, k) },
    {
      name: 'bm25f',
      search: async (query, k) =>
        toRankedDocuments(reader, reader.lexical.match(reader.lexical.prepare(query), k)),
    },
    {
      name: 'vectors',
      search: async (query, k) =>
        toRankedDocuments(reader, vectors.nearest(await embedder.embedQuery(query), k)),
    },
    product(reader, embedder, 'skillgate'),
  ];
}

const MEASURES = ['Hit@1', 'Hit@5', 'nDCG@10'] as const;

/** One row per system, then one per style; `holes`: share of the first five hits that nobody has judged. */
export function ranksTable(evaluations: readonly Evaluation[], { qrels }: Pick<Dataset, 'qrels'>): string {
  const figures = ({ queries, means }: Pick<Evaluation, 'queries' | 'means'>) => [
    String(queries),
    ...MEASURES.map((measure) => percent(means[measure])),
  ];
  const rows = evaluations.flatMap((evaluation) => [
    [evaluation.system, ...figures(evaluation), percent(holesOf(evaluation, qrels))],
    ...evaluation.groups.map((group) => [`  ${group.group}`, ...figures(group), '']),
  ]);
  return columns([['system', 'queries', ...MEASURES, 'holes@5'], ...rows]);
}

/** Mean over the queries, 0–1. */
function holesOf({ results }: Pick<Evaluation, 'results'>, qrels: Dataset['qrels']): number {
  return mean(
    results.map(({ query, ranking }) => {
      const top = ranking.slice(0, 5);
      const unjudged = top.filter(({ id }) => qrels.get(query.id)?.has(id) !== true);
      return top.length === 0 ? 0 : unjudged.length / top.length;
    }),
  );
}
