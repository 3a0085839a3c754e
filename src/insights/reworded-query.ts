/** One query with other descriptions of one skill: the ranks now, and with each of them. Nothing is indexed. */

import { candidatesFor, entryAt, queryText, type Searchable } from '../search/public.ts';
import { RankingScenario, type RankResult } from './ranking-scenario.ts';
import { rewording } from './reword.ts';

/** The skill, as an ordinal, and the documents that may be found; they must contain it. */
export interface RewordedSkill {
  readonly ordinal: number;
  readonly accept: Uint8Array;
}

export async function rewordedQuery(
  query: string,
  { ordinal, accept }: RewordedSkill,
  { reader, embedder }: Pick<Searchable, 'reader' | 'embedder'>,
) {
  const request = queryText(query);
  const candidates = await candidatesFor(request, reader, embedder, accept);
  const { words, vector } = candidates;
  const scenario = await RankingScenario.open(reader, candidates, accept, ordinal);
  const entry = entryAt(reader, ordinal);
  const counterfactuals = rewording({ reader, embedder, words, vector, ordinal, entry });
  return {
    request,
    words,
    vector,
    before: scenario.asIndexed(),
    /** Ranks with other descriptions, in their order. */
    async with(descriptions: readonly string[]): Promise<RankResult[]> {
      const made = await counterfactuals.of(descriptions);
      return made.map((counterfactual) => scenario.with(counterfactual));
    },
  };
}
