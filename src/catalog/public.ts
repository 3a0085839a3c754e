/**
 * Which skills there are.
 *
 * A `Source` scans to `SkillFolder`s: id, files, and a stamp that changes with any name, size or time. Scanning opens no file.
 * `watch.ts` reports changed paths with one watch per directory; `changed-subtree.ts` finds the skills they belong to, so a change costs
 * its own skill, whatever the size of the catalog. Where that cannot equal a whole scan (links between places, sources within
 * each other), everything is scanned. Lost events are found by a whole scan every few minutes.
 */

export { type CatalogSnapshot, readCatalog } from './catalog.ts';
export { type ChangedSubtrees, type IndexedSkills, readChangedSubtrees } from './changed-subtree.ts';
export { type CatalogEntry, entryOf } from './entry.ts';
export { isNothing, realPathOf } from './real-path.ts';
export {
  type BaseDirectories,
  defaultRoots,
  hostRoots,
  type NamedRoot,
  nameRoots,
  projectFolders,
  slug,
} from './roots.ts';
export { MAX_FILES } from './skill-folder.ts';
export type { Scan, SkillFolder, Source } from './source.ts';
export { isIgnoredDirectory, type Links, Walk, type WalkOptions } from './walk.ts';
export { watchRoots } from './watch.ts';
