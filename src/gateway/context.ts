/**
 * Selects the skills that a host lists in its prompt: all of them, or those that fit a token budget. The caller decides
 * how a skill is shown, and so what it costs.
 */

import type { SearchAnswer } from '../search/answer.ts';
import { entryAt, type Searchable, search } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';

interface ContextRequest {
  /** The agent's task: selects the most relevant skills, best first. Blank counts as absent. */
  readonly query?: string;
  /** Budget for all selected skills. Default: unlimited, or `QUERY_TOKENS` with a query. */
  readonly maxTokens?: number;
  /** Tokens that showing one skill takes, more than 0. */
  readonly costOf: (entry: CatalogEntry) => number;
}

interface ContextSelection {
  /** By relevance with a query, else by id. Their total cost is within the budget. */
  readonly entries: readonly CatalogEntry[];
  /** Skills in the catalog. */
  readonly total: number;
}

/** The share of a prompt that hosts give to skills: room for 20 to 40 of them. */
const QUERY_TOKENS = 2_000;
/** Hits of one search: the most it returns. */
const PAGE = 50;

export async function selectContext(index: Searchable, request: ContextRequest): Promise<ContextSelection> {
  const { query = '', maxTokens, costOf } = request;
  const total = index.reader.documents;
  if (query.trim() !== '')
    return { entries: await nearest(index, query, maxTokens ?? QUERY_TOKENS, costOf), total };
  const all = Array.from(index.reader.ordinalsByKey(), (ordinal) => entryAt(index.reader, ordinal));
  return { entries: maxTokens === undefined ? all : spread(all, maxTokens, costOf), total };
}

/** The best hits in order, up to the first that does not fit: a worse skill never replaces a better one. */
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
    const answer = await search({ query, limit: PAGE, cursor }, index);
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
 * As many items as fit the budget, evenly spaced over the list. Neighbours by id are in one folder and alike, so spread
 * items represent the catalog better than the first ones.
 */
export function spread<T>(items: readonly T[], budget: number, costOf: (item: T) => number): T[] {
  const costs = items.map(costOf);
  const costOfPicks = (picks: readonly number[]) => picks.reduce((sum, at) => sum + costs[at]!, 0);
  const formatPicks = (count: number) =>
    Array.from({ length: count }, (_, at) => Math.floor((at * items.length) / count));
  const everything = costs.reduce((sum, cost) => sum + cost, 0);
  let count = everything <= budget ? items.length : Math.floor((items.length * budget) / everything);
  let picks = formatPicks(count);
  while (count > 0 && costOfPicks(picks) > budget) {
    count = Math.min(count - 1, Math.floor((count * budget) / costOfPicks(picks)));
    picks = formatPicks(count);
  }
  return picks.map((at) => items[at]!);
}
