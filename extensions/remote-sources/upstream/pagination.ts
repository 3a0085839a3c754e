/** Paginated lists, with protection against endless ones. */

import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { UpstreamError } from '../../../src/sources/upstream.ts';

/** Most pages of one list. skillgate's own pages have 500 skills, the SDK's 50. */
const MAX_PAGES = 2_000;
/** Longest cursor, characters: it is sent back with the next request. */
const MAX_CURSOR = 8_192;

/** The unchecked elements of `field` on all pages. Throws `UPSTREAM_FLOOD` for endless lists. */
export async function* listItems(
  client: Client,
  method: string,
  field: string,
  { params = {}, ...options }: RequestOptions & { readonly params?: Record<string, unknown> } = {},
): AsyncGenerator<unknown> {
  const schema = z.looseObject({
    [field]: z.array(z.unknown()),
    nextCursor: z.string().max(MAX_CURSOR).nullish(),
  });
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = { method, params: { ...params, ...(cursor !== undefined && { cursor }) } };
    const result = await client.request(request, schema, options);
    const items = result[field];
    if (Array.isArray(items)) yield* items;
    const next = result.nextCursor;
    if (typeof next !== 'string') return;
    if (seen.has(next))
      throw new UpstreamError('UPSTREAM_FLOOD', `Its ${method} repeats a cursor and would never end.`);
    seen.add(next);
    cursor = next;
  }
  throw new UpstreamError('UPSTREAM_FLOOD', `Its ${method} has more than ${MAX_PAGES} pages.`);
}
