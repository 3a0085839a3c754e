/** The first stage of `bench/agent.ts`, without any model: ranks of the same requests in several wordings, by system and style. */

import type { Dataset } from '../../extensions/eval/dataset.ts';
import type { Embedder } from '../../index/embedder.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { entryAt, search } from '../../src/search/search.ts';
import { bm25 } from '../evaluation/bm25.ts';
import type { System } from '../evaluation/evaluate.ts';
import { asSystem } from '../evaluation/evaluate.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { columns, percent } from '../evaluation/table.ts';
import { HOLES_DEPTH, holesOf } from '../holes.ts';
import { toRankedDocuments } from '../systems/ranked.ts';

/** The product, its words and vectors alone, and BM25 on names and descriptions, over one index. */
export async function systemsOver(reader: Reader, embedder: Embedder): Promise<System[]> {
  const ordinals = Array.from(reader.ordinalsByKey());
  const cards = bm25(
    ordinals.map((ordinal) => reader.key(ordinal)),
    ordinals.map((ordinal) => {
      const { name, description } = entryAt(reader, ordinal);
      return `${name}\n${description}`;
    }),
  );
  const vectors = await reader.openVectors();
  const product = asSystem((request) => search(request, { reader, embedder, now: () => performance.now() }));
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
    { name: 'skillgate', search: product.search },
  ];
}

const MEASURES = ['Hit@1', 'Hit@5', 'nDCG@10'] as const;

/** One row per system, then one per style; `holes`: share of the first hits that no one has judged. */
export function ranksTable(
  title: string,
  evaluations: readonly Evaluation[],
  judged: Pick<Dataset, 'qrels'>,
): string {
  const figures = ({ queries, means }: Pick<Evaluation, 'queries' | 'means'>) => [
    String(queries),
    ...MEASURES.map((measure) => percent(means[measure])),
  ];
  const rows = evaluations.flatMap((evaluation) => [
    [evaluation.system, ...figures(evaluation), percent(holesOf(evaluation, judged))],
    ...evaluation.groups.map((group) => [`  ${group.group}`, ...figures(group), '']),
  ]);
  return columns([[title, 'queries', ...MEASURES, `holes@${HOLES_DEPTH}`], ...rows]);
}
