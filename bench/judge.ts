/**
 * `npm run bench -- judge`: writes what no one has judged yet as a collection in BEIR layout: queries.jsonl, corpus.jsonl with
 * the skills' text, and qrels.tsv, in which the judgements that exist stand and the others lack their score. Filled in, the
 * folder is a dataset; until then, reading it names the first line without a score.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dataset, Query } from '../extensions/eval/dataset.ts';
import type { Reader } from '../index/reader/reader.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { entryAt } from '../src/search/search.ts';
import { systemsOver } from './agent/ranks.ts';
import { queriesOf } from './asked.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { seeded, shuffled } from './evaluation/statistics.ts';
import { isJudged } from './holes.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './paths.ts';

interface JudgeOptions {
  readonly index: string;
  readonly dataset: string;
  readonly queries?: string;
  /** First hits of each system. */
  readonly depth: number;
  readonly out: string;
}

/** Characters of a skill's body for the judge. */
const BODY = 4_000;

/** The unjudged skills of each query by id; shuffled, so that no one sees ranks. Queries without any are left out. */
type Pools = ReadonlyMap<string, readonly string[]>;

export async function writePools(options: JudgeOptions): Promise<void> {
  const dataset = await readDatasetFolder(options.dataset);
  const queries = await queriesOf(dataset, options.queries);
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const systems = await systemsOver(reader, embedder);
  const found = new Map<string, Set<string>>();
  for (const { id, text } of queries)
    for (const system of systems)
      for (const hit of await system.search(text, options.depth))
        found.set(id, (found.get(id) ?? new Set()).add(hit.id));
  const pools = poolsOf(found, dataset);
  const skills = new Map([...reader.ordinalsByKey()].map((ordinal) => [reader.key(ordinal), ordinal]));
  await mkdir(options.out, { recursive: true });
  const files = filesOf(queries, dataset, pools, (id) => corpusRow(reader, id, skills.get(id)!));
  for (const [name, text] of Object.entries(files)) await writeFile(join(options.out, name), text);
  reader.close();
  const pairs = [...pools.values()].reduce((sum, ids) => sum + ids.length, 0);
  process.stdout.write(
    `${pairs} pairs of ${pools.size} queries to judge: fill in the scores of ${join(options.out, 'qrels.tsv')}\n`,
  );
}

/** What of `found` (ids by query) no one judged. */
export function poolsOf(
  found: ReadonlyMap<string, ReadonlySet<string>>,
  judged: Pick<Dataset, 'qrels'>,
): Pools {
  const random = seeded(1);
  const pools = [...found].map(
    ([query, ids]) =>
      [
        query,
        shuffled(
          [...ids].filter((id) => !isJudged(judged, query, id)),
          random,
        ),
      ] as const,
  );
  return new Map(pools.filter(([, ids]) => ids.length > 0));
}

/** The files of the collection, by name. */
export function filesOf(
  queries: readonly Query[],
  { qrels }: Pick<Dataset, 'qrels'>,
  pools: Pools,
  rowOf: (id: string) => unknown,
): Record<'queries.jsonl' | 'corpus.jsonl' | 'qrels.tsv', string> {
  const asked = queries.filter(({ id }) => pools.has(id));
  const lines = asked.flatMap(({ id }) => [
    ...[...(qrels.get(id) ?? [])].map(([skill, grade]) => [id, skill, String(grade)]),
    ...pools.get(id)!.map((skill) => [id, skill, '']),
  ]);
  const unjudged = new Set([...pools.values()].flat());
  const json = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return {
    'queries.jsonl': json(
      asked.map(({ id, text, style }) => ({ _id: id, text, ...(style !== undefined && { style }) })),
    ),
    'corpus.jsonl': json([...unjudged].sort().map(rowOf)),
    'qrels.tsv': [['query-id', 'corpus-id', 'score'], ...lines]
      .map((line) => `${line.join('\t')}\n`)
      .join(''),
  };
}

function corpusRow(reader: Reader, id: string, ordinal: number) {
  const { name, description } = entryAt(reader, ordinal);
  const body = reader.passages
    .kinds(ordinal)
    .flatMap((kind, at) => (kind === 'body' ? [reader.passages.get(ordinal, at).text] : []))
    .join('\n');
  return { _id: id, title: name, text: `${description}\n\n${body.slice(0, BODY)}` };
}
