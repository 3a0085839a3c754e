/** What another description of a skill would change over a set of queries. */

import { GatewayError } from '../../src/gateway/gateway.ts';
import { resolveSkill } from '../../src/gateway/resolve.ts';
import type { Searchable } from '../../src/search/search.ts';
import { rankChanges } from '../authoring/ranks.ts';
import type { Api, RankChange } from './api.ts';

export async function draftRanks(
  { skill, description, queries }: Api['ranks']['request'],
  index: Searchable,
): Promise<readonly RankChange[]> {
  const { reader } = index;
  const { id } = resolveSkill(reader, skill, index.precedence);
  const ordinal = reader.ordinalOf(id);
  if (ordinal === null) throw new GatewayError('SKILL_UNKNOWN', `There is no skill ${id}.`);
  const changes = await rankChanges({ ordinal, accept: reader.accept([]), queries, description }, index);
  return changes.map(({ query, before, after }) => ({ query, before, after }));
}
