/** Of which skills scripts may be run: those that the configuration names by source and by id. Nothing is by default. */

import type { CatalogEntry } from '../../catalog/entry.ts';

/** `*` is anything but a slash, `**` anything; a pattern that is only `*` is everything. */
export function allowedBy(sources: readonly string[], skills: readonly string[]) {
  const [bySource, byId] = [sources.map(patternOf), skills.map(patternOf)];
  return ({ source, id }: Pick<CatalogEntry, 'source' | 'id'>): boolean =>
    bySource.some((pattern) => pattern.test(source)) && byId.some((pattern) => pattern.test(id));
}

function patternOf(glob: string): RegExp {
  if (glob === '*') return /^[\s\S]*$/;
  const parts = glob.split(/(\*+)/).map((part) => {
    if (part.startsWith('**')) return '[\\s\\S]*';
    return part === '*' ? '[^/]*' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
