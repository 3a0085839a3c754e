/** Of which skills scripts may be run: those that the configuration names by source and by id. Nothing is by default. */

import type { CatalogEntry } from '../../catalog/entry.ts';
import { idsOf } from '../policy/choice.ts';
import { patternsOf } from '../policy/patterns.ts';

/** Both have to match. Throws `PolicyError` for patterns that cannot mean what they say. */
export function allowedBy(sources: readonly string[], skills: readonly string[]) {
  const [bySource, byId] = [patternsOf(sources), patternsOf(skills)];
  return ({ source, id }: Pick<CatalogEntry, 'source' | 'id'>): boolean =>
    bySource([source]) !== undefined && byId(idsOf(id, source)) !== undefined;
}
