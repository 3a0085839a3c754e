/** Explains a skill's rank for a query: resolves the skill, then asks the search. */

import { type WhyAnswer, why } from '../authoring/why.ts';
import type { Searchable } from '../search/search.ts';
import type { WhySkillRequest } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { ordinalOf, resolveSkill } from './resolve.ts';

export async function whySkill(index: Searchable, request: WhySkillRequest): Promise<WhyAnswer> {
  const { query, skill, page } = request;
  if (query.trim() === '')
    throw new GatewayError('REQUEST_INVALID', 'The query is empty: give the query to explain.');
  const { id } = resolveSkill(index.reader, skill, index.precedence);
  return why(
    {
      query,
      ordinal: ordinalOf(index.reader, id),
      accept: index.reader.accept([]),
      page,
    },
    index,
  );
}
