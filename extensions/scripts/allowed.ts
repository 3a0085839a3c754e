/** Which skills' scripts the configuration allows, by patterns of sources and ids. By default none. */

import { idsOf } from '../../src/gateway/policy/choice.ts';
import { patternsOf } from '../../src/gateway/policy/patterns.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';

/** Both lists must match. Throws `PolicyError` for patterns with syntax that is not supported. */
export function allowedBy(sources: readonly string[], skills: readonly string[]) {
  const [bySource, byId] = [patternsOf(sources), patternsOf(skills)];
  return ({ source, id }: Pick<CatalogEntry, 'source' | 'id'>): boolean =>
    bySource([source]) !== undefined && byId(idsOf(id, source)) !== undefined;
}
