/** Schemas of the page's requests: what arrives is unknown until it has passed here. */

import * as z from 'zod';

/** Longest texts, characters: a search cuts queries at 8,000 anyway. */
const QUERY = 8_000;
const ID = 2_000;
const DESCRIPTION = 8_000;
/** Queries of one request: explaining one takes about 30 ms in a large catalog. */
const MAX_EXPLAINED = 100;
/** Cards of one request: what a list shows at once. */
const MAX_CARDS = 60;

const query = z.string().max(QUERY);
const id = z.string().max(ID);
const nothing = z.strictObject({});

export const REQUESTS = {
  overview: nothing,
  map: nothing,
  improve: nothing,
  cards: z.strictObject({ ids: z.array(id).max(MAX_CARDS).readonly() }),
  skill: z.strictObject({ id }),
  file: z.strictObject({ id, path: id }),
  ranks: z.strictObject({
    skill: id,
    description: z.string().max(DESCRIPTION),
    queries: z.array(query.min(1)).min(1).max(MAX_EXPLAINED).readonly(),
  }),
  search: z.strictObject({
    query,
    /** Hits. Default: as many as an agent gets by default. */
    limit: z.int().min(1).max(50).exactOptional(),
    /** Records the search in the audit log as the page's own: the person waited for its hits, or opened one. Default false. */
    counts: z.boolean().exactOptional(),
  }),
};

/** How many searches a request asks for, at least 1: a caller's limits count each. */
export const queriesIn = (request: unknown): number =>
  typeof request === 'object' && request !== null && 'queries' in request && Array.isArray(request.queries)
    ? Math.max(1, request.queries.length)
    : 1;
