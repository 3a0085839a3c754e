/** What another description of a skill would change over a set of queries. */

import { GatewayError } from '../../src/gateway/gateway.ts';
import { resolveSkill } from '../../src/gateway/resolve.ts';
import type { Searchable } from '../../src/search/search.ts';
import { rankChanges } from '../authoring/ranks.ts';
import type { Api, RankChanges } from './api.ts';

/** Losers that are named. */
const MAX_LOSERS = 20;

export async function draftRanks(
  { skill, description, queries }: Api['ranks']['request'],
  index: Searchable,
): Promise<RankChanges> {
  const { reader } = index;
  const { id } = resolveSkill(reader, skill, index.precedence);
  const ordinal = reader.ordinalOf(id);
  if (ordinal === null) throw new GatewayError('SKILL_UNKNOWN', `There is no skill ${id}.`);
  const changes = await rankChanges({ ordinal, accept: reader.accept([]), queries, description }, index);
  const losers = new Map<string, number>();
  // Below the last page that is shown, a change of rank has no effect.
  for (const { passed, reached } of changes)
    for (const other of reached ? passed : []) losers.set(other, (losers.get(other) ?? 0) + 1);
  return {
    id,
    rows: changes.map(({ passed: _, ...row }) => row),
    losers: [...losers]
      .map(([loser, times]) => ({ id: loser, queries: times }))
      .sort((a, b) => b.queries - a.queries || (a.id < b.id ? -1 : 1))
      .slice(0, MAX_LOSERS),
  };
}
