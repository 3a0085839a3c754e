/**
 * `npm run bench -- lengths`: whether short intents and long stories want different rankings. Words, vectors and the
 * product on each quarter of the queries by length, over an index on disk.
 */

import {
  asSystem,
  type Dataset,
  evaluate,
  evaluationTable,
  type Query,
  readDatasetFolder,
  type System,
} from '../src/evaluation/public.ts';
import { openEmbedder } from '../src/public.ts';
import { search } from '../src/search/search.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './places.ts';
import { writeFigures } from './readme.ts';
import { named } from './systems/best.ts';

export interface LengthsOptions {
  readonly index: string;
  readonly dataset: readonly string[];
  readonly writeReadme?: boolean;
}

export async function measureLengths(options: LengthsOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const vectors = await reader.openVectors();
  const systems: System[] = [
    {
      name: 'words',
      search: async (query, k) => named(reader, reader.lexical.match(reader.lexical.prepare(query), k)),
    },
    {
      name: 'vectors',
      search: async (query, k) => named(reader, vectors.nearest(await embedder.embedQuery(query), k)),
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
    texts.push(`${dataset.name}\n\n${evaluationTable(evaluations, { groups: true })}`);
  }
  reader.close();
  const text = texts.join('\n');
  process.stdout.write(`${text}\n`);
  if (options.writeReadme) await writeFigures('lengths', text);
}

const wordsIn = (text: string) => text.trim().split(/\s+/u).length;

/**
 * The answerable queries that do not name their skill, the shortest first, each in the quarter of its length: the
 * quarter takes the place of its style.
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
