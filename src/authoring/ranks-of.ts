/** The ranks of one skill over a whole set of requests, as the index has it. `rank-changes.ts` compares another description. */

import { candidatesFor, queryText } from '../search/candidates.ts';
import { entryAt, type Searchable } from '../search/search.ts';
import { RankingScenario, type RankResult } from './ranking-scenario.ts';

export interface AskedRequest {
  readonly text: string;
  /** Ordinals of the skills that should come first. Empty: this skill. */
  readonly wanted: readonly number[];
}

export interface RequestRank {
  readonly request: string;
  /** Whether this skill should answer it. */
  readonly isOwn: boolean;
  /** From 1; for a skill that no page shows, its rank among all skills. */
  readonly rank: number;
  /** Whether a page shows it. */
  readonly reached: boolean;
  /** Id of the first hit. */
  readonly first: string;
  /** For a request of another skill: whether this one ranks before it. */
  readonly takes: boolean;
}

interface RanksRequest {
  readonly requests: readonly AskedRequest[];
  /** The skill. */
  readonly ordinal: number;
  /** Documents that may be found; they must contain it. */
  readonly accept: Uint8Array;
}

/** One for each request, in their order. */
export async function ranksOf(
  { requests, ordinal, accept }: RanksRequest,
  { reader, embedder }: Searchable,
): Promise<RequestRank[]> {
  const ranks: RequestRank[] = [];
  for (const { text, wanted } of requests) {
    const request = queryText(text);
    const candidates = await candidatesFor(request, reader, embedder, accept);
    const result = (await RankingScenario.open(reader, candidates, accept, ordinal)).asIndexed();
    const isOwn = wanted.length === 0 || wanted.includes(ordinal);
    const [leader] = result.leaders;
    ranks.push({
      request,
      isOwn,
      rank: result.rank,
      reached: result.isCandidate,
      first: entryAt(reader, leader === undefined ? ordinal : result.ordinals[leader]!).id,
      takes: !isOwn && isAhead(wanted, result),
    });
  }
  return ranks;
}

/** Whether the skill ranks before every skill that should answer. */
function isAhead(wanted: readonly number[], { rank, leaders, ordinals, isCandidate }: RankResult): boolean {
  if (!isCandidate) return false;
  const places = leaders.flatMap((leader, place) => (wanted.includes(ordinals[leader]!) ? [place + 1] : []));
  return places.every((place) => rank < place);
}
