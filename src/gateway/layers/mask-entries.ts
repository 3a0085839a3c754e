/** Answers with changed entries: the calls that take entries back get the original ones. */

import type { CatalogEntry } from '../../sources/scan/entry.ts';
import type { Gateway, LoadedFile, SkillOnDisk } from '../gateway.ts';

/** `files` are those of the skill, where the answer has them. */
export type Mask = (entry: CatalogEntry, files?: readonly LoadedFile[]) => CatalogEntry;

export function maskEntries(next: Gateway, mask: Mask): Gateway {
  const originals = new WeakMap<CatalogEntry, CatalogEntry>();
  const masked: Mask = (entry, files) => {
    const copy = mask(entry, files);
    originals.set(copy, entry);
    return copy;
  };
  const withMasked = <Item extends { readonly entry: CatalogEntry; readonly files?: readonly LoadedFile[] }>(
    item: Item,
  ): Item => ({ ...item, entry: masked(item.entry, item.files) });
  const onDisk = (skill: SkillOnDisk): SkillOnDisk => ({
    ...withMasked(skill),
    nested: async () => (await skill.nested()).map(onDisk),
  });
  return {
    ...next,
    async search(request) {
      const answer = await next.search(request);
      return { ...answer, hits: answer.hits.map(withMasked) };
    },
    load: async (request) => withMasked(await next.load(request)),
    find: async (request) => withMasked(await next.find(request)),
    async list(request) {
      const page = await next.list(request);
      return { ...page, entries: page.entries.map((entry) => masked(entry)) };
    },
    labels: (entries) => next.labels(entries.map((entry) => originals.get(entry) ?? entry)),
    async publishable(request) {
      const page = await next.publishable(request);
      return { ...page, skills: page.skills.map(onDisk) };
    },
    async publishableAt(uri) {
      const skill = await next.publishableAt(uri);
      return skill && onDisk(skill);
    },
  };
}

/** The entry with the folder of its URI, for callers who have no use for one of this machine. */
export const withoutFolder = (entry: CatalogEntry): CatalogEntry => ({
  ...entry,
  folder: entry.uri.replace(/\/[^/]*$/, ''),
});
