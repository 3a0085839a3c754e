/**
 * Which skills to show to a host that lists skills in its prompt: all of them, or those that fit a budget. How one is
 * shown, and so what it costs, is the caller's.
 */

import type { CatalogEntry } from '../catalog/entry.ts';
import type { SearchAnswer } from '../search/answer.ts';
import { entryAt, type Searchable, search } from '../search/search.ts';

export interface ContextRequest {
  /** What the agent is about to do: the skills nearest to it are taken, best first. Blank counts as absent. */
  readonly query?: string;
  /** Tokens of all that is chosen. Without it everything is, or, for a query, what `QUERY_TOKENS` hold. */
  readonly maxTokens?: number;
  /** Tokens that showing one takes, more than 0. */
  readonly costOf: (entry: CatalogEntry) => number;
}

export interface ContextSelection {
  /** By relevance where there is a query, else by id. Their costs together are within the budget. */
  readonly entries: readonly CatalogEntry[];
  /** Skills in the catalog. */
  readonly total: number;
}

/** A prompt's share that hosts give to skills: 20 to 40 of them. */
export const QUERY_TOKENS = 2_000;
/** Hits asked for at a time: all that one search gives. */
const PAGE = 50;

export async function selectContext(index: Searchable, request: ContextRequest): Promise<ContextSelection> {
  const { query = '', maxTokens, costOf } = request;
  const total = index.reader.documents;
  if (query.trim() !== '')
    return { entries: await nearest(index, query, maxTokens ?? QUERY_TOKENS, costOf), total };
  const all = Array.from(index.reader.ordinalsByKey(), (ordinal) => entryAt(index.reader, ordinal));
  return { entries: maxTokens === undefined ? all : spread(all, maxTokens, costOf), total };
}

/** The best hits in order, until one does not fit: a worse skill never takes a better one's place. */
async function nearest(
  index: Searchable,
  query: string,
  budget: number,
  costOf: ContextRequest['costOf'],
): Promise<CatalogEntry[]> {
  const chosen: CatalogEntry[] = [];
  let left = budget;
  let page: Pick<SearchAnswer, 'nextCursor'> | undefined;
  do {
    const cursor = page?.nextCursor;
    const answer = await search({ query, limit: PAGE, ...(cursor !== undefined && { cursor }) }, index);
    for (const { entry } of answer.hits) {
      left -= costOf(entry);
      if (left < 0) return chosen;
      chosen.push(entry);
    }
    page = answer;
  } while (page.nextCursor !== undefined);
  return chosen;
}

/**
 * As many as fit, evenly spread over the list: where nothing is wanted yet, neighbours by id tell the least, being
 * of one folder.
 */
export function spread<T>(items: readonly T[], budget: number, costOf: (item: T) => number): T[] {
  const costs = items.map(costOf);
  const costOfPicks = (picks: readonly number[]) => picks.reduce((sum, at) => sum + costs[at]!, 0);
  const picksOf = (count: number) =>
    Array.from({ length: count }, (_, at) => Math.floor((at * items.length) / count));
  const everything = costs.reduce((sum, cost) => sum + cost, 0);
  let count = everything <= budget ? items.length : Math.floor((items.length * budget) / everything);
  let picks = picksOf(count);
  while (count > 0 && costOfPicks(picks) > budget) {
    count = Math.min(count - 1, Math.floor((count * budget) / costOfPicks(picks)));
    picks = picksOf(count);
  }
  return picks.map((at) => items[at]!);
}
