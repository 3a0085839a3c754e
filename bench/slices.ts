/**
 * `npm run bench -- slices`: small catalogs. Each query is asked in random slices of a large catalog, once without any skill
 * that was judged relevant and once with one of its best skills. How often does the answer say that nothing fits, and how often
 * that something surely does?
 */

import type { Dataset, Query } from '../extensions/eval/dataset.ts';
import { targets } from '../extensions/eval/measures.ts';
import type { Embedder } from '../index/embedder.ts';
import type { Reader } from '../index/reader/reader.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { search } from '../src/search/search.ts';
import { queriesOf } from './asked.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean, seeded, shuffled } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './paths.ts';
import { publish } from './results-file.ts';

interface SlicesOptions {
  readonly index: string;
  readonly dataset: string;
  /** File with other queries for the same judgements. */
  readonly queries?: string;
  readonly sizes?: readonly number[];
  readonly seed: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const SIZES = [12, 40, 112, 300];
/** A fit above it claims that a skill surely fits. */
const SURE = 0.8;

/** A query with a best skill in the catalog, by the number of the draw. */
interface Slice {
  /** Ids of skills that are not relevant for the query, as many as the catalog is to have. */
  readonly others: readonly string[];
  /** One of its best skills. */
  readonly best: string;
}

/** Random skills for one query, drawn with `random`. Null if the catalog holds none of its best skills. */
export function sliceFor(
  query: Query,
  { qrels }: Pick<Dataset, 'qrels'>,
  ids: readonly string[],
  size: number,
  random: () => number,
): Slice | null {
  const grades = qrels.get(query.id) ?? new Map<string, number>();
  const known = new Set(ids);
  const [best] = shuffled(
    [...targets(grades)].filter((id) => known.has(id)),
    random,
  );
  if (best === undefined) return null;
  const others = new Set<string>();
  while (others.size < Math.min(size, ids.length - grades.size)) {
    const id = ids[Math.floor(random() * ids.length)]!;
    if (!grades.has(id)) others.add(id);
  }
  return { others: [...others], best };
}

interface Answered {
  readonly fit: number;
  readonly weak: boolean;
  readonly isRight: boolean;
}

export async function measureSlices(options: SlicesOptions): Promise<void> {
  const dataset = await readDatasetFolder(options.dataset);
  const queries = await queriesOf(dataset, options.queries);
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const ordinals = new Map(Array.from(reader.ordinalsByKey(), (ordinal) => [reader.key(ordinal), ordinal]));
  const ids = [...ordinals.keys()];
  const rows: string[][] = [];
  for (const size of options.sizes ?? SIZES) {
    const random = seeded(options.seed);
    const without: Answered[] = [];
    const holding: Answered[] = [];
    for (const query of queries) {
      const slice = sliceFor(query, dataset, ids, size, random);
      if (slice === null) continue;
      const ask = (skills: readonly string[]) =>
        answered(query.text, slice.best, reader, skills, ordinals, embedder);
      without.push(await ask(slice.others));
      holding.push(await ask([...slice.others.slice(1), slice.best]));
    }
    rows.push([String(size), String(without.length), ...shares(without), ...shares(holding), right(holding)]);
  }
  reader.close();
  const head = [
    'skills',
    'queries',
    'nothing fits: weak',
    `fit > ${SURE}`,
    'one fits: weak',
    `fit > ${SURE}`,
    'it is first',
  ];
  const name = options.queries === undefined ? dataset.name : `${dataset.name}-hurried`;
  await publish(
    {
      name: `slices-${name}`,
      title: `Small catalogs: ${name}`,
      figures: columns([head, ...rows]),
      conditions: `In %. Random skills of the catalog, none of them judged relevant to the query; and the same with one of its best skills. Seed ${options.seed}.`,
    },
    options.write,
  );
}

async function answered(
  text: string,
  best: string,
  reader: Reader,
  skills: readonly string[],
  ordinals: ReadonlyMap<string, number>,
  embedder: Embedder,
): Promise<Answered> {
  const accept = new Uint8Array(reader.accept([]).length);
  for (const id of skills) accept[ordinals.get(id)!] = 1;
  const request = { query: text, limit: 1 };
  const index = { reader: reader.restrictedTo(accept), embedder, now: () => 0 };
  const { fit, weak, hits } = await search(request, index);
  return { fit: fit ?? 0, weak, isRight: hits[0]?.entry.id === best };
}

const shares = (some: readonly Answered[]) => [
  percent(mean(some.map(({ weak }) => Number(weak)))),
  percent(mean(some.map(({ fit }) => Number(fit > SURE)))),
];
const right = (some: readonly Answered[]) => percent(mean(some.map(({ isRight }) => Number(isRight))));
