/**
 * `npm run bench -- lengths`: do short and long queries need different rankings? Words, vectors and the product on each
 * quarter of the queries by length, over an index on disk.
 */

import type { Dataset, Query } from '../extensions/eval/dataset.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { search } from '../src/search/search.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { asSystem, evaluate, type System } from './evaluation/evaluate.ts';
import { evaluationTable } from './evaluation/table.ts';
import { holesLine } from './holes.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './paths.ts';
import { publish } from './results-file.ts';
import { toRankedDocuments } from './systems/ranked.ts';

interface LengthsOptions {
  readonly index: string;
  readonly dataset: readonly string[];
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

export async function measureLengths(options: LengthsOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const vectors = await reader.openVectors();
  const systems: System[] = [
    {
      name: 'words',
      search: async (query, k) =>
        toRankedDocuments(reader, reader.lexical.match(reader.lexical.prepare(query), k)),
    },
    {
      name: 'vectors',
      search: async (query, k) =>
        toRankedDocuments(reader, vectors.nearest(await embedder.embedQuery(query), k)),
    },
    {
      name: 'hybrid',
      search: asSystem((request) => search(request, { reader, embedder, now: () => performance.now() }))
        .search,
    },
  ];
  const texts: string[] = [];
  for (const folder of options.dataset) {
    const dataset = await readDatasetFolder(folder);
    const asked = byLength(dataset);
    const evaluations = [];
    for (const system of systems) evaluations.push(await evaluate(system, asked));
    texts.push(
      `${dataset.name}\n\n${evaluationTable(evaluations, { groups: true })}${holesLine(evaluations, dataset)}\n`,
    );
  }
  reader.close();
  await publish({ name: 'lengths', title: 'Query length', figures: texts.join('\n') }, options.write);
}

const wordsIn = (text: string) => text.trim().split(/\s+/u).length;

/**
 * The answerable queries that do not name their skill, shortest first. The style of each is its quarter by length, as
 * "4–12 words".
 */
export function byLength(dataset: Dataset): Dataset {
  const asked = dataset.queries
    .filter(({ id, namesSkill }) => dataset.qrels.has(id) && namesSkill !== true)
    .map((query) => ({ query, words: wordsIn(query.text) }))
    .sort((a, b) => a.words - b.words || (a.query.id < b.query.id ? -1 : 1));
  const quarterOf = (at: number) => Math.floor((4 * at) / asked.length);
  const ranges = [0, 1, 2, 3].map((quarter) => {
    const own = asked.filter((_, at) => quarterOf(at) === quarter).map(({ words }) => words);
    return `${own[0] ?? 0}–${own.at(-1) ?? 0} words`;
  });
  const queries = asked.map(
    ({ query: { id, text } }, at): Query => ({ id, text, style: ranges[quarterOf(at)]! }),
  );
  return { ...dataset, queries };
}
