/** What another description of one skill would change for a whole set of queries: its own ranks, and who falls behind it. */

import { candidatesFor, queryText } from '../search/candidates.ts';
import { entryAt, type Searchable } from '../search/search.ts';
import { RankingScenario, type RankResult } from './ranking-scenario.ts';
import { rewording } from './reword.ts';

/** Skills named that it passes, the best first. */
const MAX_PASSED = 5;

export interface RankChange {
  readonly query: string;
  /** From 1; for a skill that no page shows, its rank among all skills. */
  readonly before: number;
  readonly after: number;
  /** Whether a page shows it with the other description. */
  readonly reached: boolean;
  /** Id of the first hit with the other description. */
  readonly first: string;
  /** Ids that it ranks before now and did not before, the best first. */
  readonly passed: readonly string[];
}

export interface RankChangesRequest {
  /** The skill. */
  readonly ordinal: number;
  /** Documents that may be found; they must contain it. */
  readonly accept: Uint8Array;
  readonly queries: readonly string[];
  readonly description: string;
}

/** One for each query, in their order. Nothing is indexed. */
export async function rankChanges(
  { ordinal, accept, queries, description }: RankChangesRequest,
  { reader, embedder }: Searchable,
): Promise<RankChange[]> {
  const entry = entryAt(reader, ordinal);
  const changes: RankChange[] = [];
  for (const query of queries) {
    const candidates = await candidatesFor(queryText(query), reader, embedder, accept);
    const { words, vector } = candidates;
    const scenario = await RankingScenario.open(reader, candidates, accept, ordinal);
    const [reworded] = await rewording({ reader, embedder, words, vector, ordinal, entry }).of([description]);
    // One description, one result.
    if (reworded === undefined) continue;
    const before = scenario.asIndexed();
    const after = scenario.with(reworded);
    const ids = ({ leaders, ordinals }: RankResult) => leaders.map((leader) => reader.key(ordinals[leader]!));
    const behindNow = new Set(ids(after).slice(after.rank));
    changes.push({
      query,
      before: before.rank,
      after: after.rank,
      reached: after.isCandidate,
      first: ids(after)[0] ?? entry.id,
      passed: ids(before)
        .slice(0, before.rank - 1)
        .filter((id) => behindNow.has(id))
        .slice(0, MAX_PASSED),
    });
  }
  return changes;
}
