/** Which skills' scripts the configuration allows, by patterns of sources and ids. By default none. */

import type { CatalogEntry } from '../catalog/public.ts';
import { idsOf, patternsOf } from '../policy/public.ts';

/** Both lists must match. Throws `PolicyError` for patterns with syntax that is not supported. */
export function allowedBy(sources: readonly string[], skills: readonly string[]) {
  const [bySource, byId] = [patternsOf(sources), patternsOf(skills)];
  return ({ source, id }: Pick<CatalogEntry, 'source' | 'id'>): boolean =>
    bySource([source]) !== undefined && byId(idsOf(id, source)) !== undefined;
}
