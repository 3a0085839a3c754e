/**
 * Rescans only the subtrees of the catalog that changed paths can affect. The result equals that of a whole scan, and
 * the cost depends on the affected skills, not on the size of the catalog.
 *
 * A skill's files are those below it, except those of nested skills. So a changed path can affect only the outermost
 * skill above it and what is below that skill. If that does not hold (links, nested sources, ids that several sources
 * share), the answer is null and a whole scan is needed.
 */

import { existsSync, lstatSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { Diagnostic } from '../../skills/skill.ts';
import type { PartialScan, SkillFolder, Source } from '../source.ts';
import { findRealPath } from './real-path.ts';

/** The skills of the current index. */
export interface IndexedSkills {
  /** The source of the skill with that id; null if there is none. */
  sourceOf(id: string): string | null;
  /** Ids that begin with `<id>/`, sorted. */
  below(id: string): readonly string[];
}

export interface ChangedSubtrees {
  /** The folders found, sorted by id. */
  readonly folders: readonly SkillFolder[];
  /** Indexed ids in the rescanned subtrees: those without a folder are gone. */
  readonly known: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** With more subtrees than this a whole scan is cheaper. */
const MAX_SUBTREES = 100;

type ScannableSource = Source & { readonly partial: PartialScan };

/**
 * `paths` are absolute; what is at them may have changed in any way, or be gone. `qualifyIds` must be the value given to
 * `readCatalog` for the index that `known` describes.
 */
export function readChangedSubtrees(
  sources: readonly Source[],
  paths: readonly string[],
  known: IndexedSkills,
  qualifyIds = false,
): ChangedSubtrees | null {
  const ids = new SkillIds(known, sources.filter(isThere).length > 1, qualifyIds);
  const changedPaths = new Map<ScannableSource, Set<string>>();
  for (const path of paths) {
    const source = sourceWith(path, sources);
    if (source === null || mayBeSkill(source, ids)) return null;
    const subtree = findSubtree(relative(source.partial.root, path).split(sep), source, ids);
    if (subtree === null) return null;
    if (subtree !== '') changedPaths.set(source, (changedPaths.get(source) ?? new Set()).add(subtree));
  }
  const scans: ChangedSubtrees[] = [];
  for (const [source, changed] of changedPaths)
    for (const path of withoutNested(changed)) {
      const scan = scans.length < MAX_SUBTREES ? rescan(source, path, ids) : null;
      if (scan === null) return null;
      scans.push(scan);
    }
  return {
    folders: scans.flatMap(({ folders }) => folders).sort((a, b) => (a.id < b.id ? -1 : 1)),
    known: scans.flatMap(({ known: found }) => found),
    diagnostics: scans.flatMap(({ diagnostics }) => diagnostics),
  };
}

function rescan(source: ScannableSource, path: string, ids: SkillIds): ChangedSubtrees | null {
  const scan = source.partial.scan(path);
  if (scan === null) return null;
  const folders = scan.folders.map((folder) => ({ ...folder, id: ids.idOf(source, folder.id) }));
  const known = ids.under(source, path);
  // All sources together decide which ids are qualified, so if they share ids none may appear or vanish.
  const expected = new Set(known);
  if (ids.shared && (folders.length !== expected.size || folders.some(({ id }) => !expected.has(id))))
    return null;
  return { folders, known, diagnostics: scan.diagnostics };
}

/** Ids of skills by source and path. */
class SkillIds {
  /** True if it depends on other sources whether an id is qualified. */
  readonly shared: boolean;
  readonly #known: IndexedSkills;
  readonly #qualifyIds: boolean;

  constructor(known: IndexedSkills, several: boolean, qualifyIds: boolean) {
    this.#known = known;
    this.#qualifyIds = qualifyIds;
    this.shared = several && !qualifyIds;
  }

  idOf({ name }: Source, path: string): string {
    const qualified = `${name}:${path}`;
    return this.#qualifyIds || (this.shared && this.#known.sourceOf(qualified) === name) ? qualified : path;
  }

  isKnown(source: Source, path: string): boolean {
    return this.#known.sourceOf(this.idOf(source, path)) === source.name;
  }

  /** Indexed ids of the source at or below a path. */
  under({ name }: Source, path: string): string[] {
    const forms = this.#qualifyIds ? [`${name}:${path}`] : this.shared ? [path, `${name}:${path}`] : [path];
    return forms
      .flatMap((id) => [id, ...this.#known.below(id)])
      .filter((id) => this.#known.sourceOf(id) === name);
  }
}

/** False for a missing folder: it shares nothing with others, and once it appears a whole scan is made. */
const isThere = ({ partial }: Source) => partial === undefined || existsSync(partial.root);

/** The only source that contains the path; null if there is none, or several. */
function sourceWith(path: string, sources: readonly Source[]): ScannableSource | null {
  const scannable = sources.filter((source): source is ScannableSource => source.partial !== undefined);
  const owner = scannable.find(({ partial: { root } }) => path.startsWith(root + sep));
  if (owner === undefined) return null;
  const real = findRealPath(owner.partial.root);
  if (real === null) return null;
  const at = join(real, relative(owner.partial.root, path));
  const others = scannable
    .filter((source) => source !== owner)
    .map(({ partial }) => findRealPath(partial.root));
  const isShared = others.some((root) => root !== null && (at + sep).startsWith(root + sep));
  return isShared ? null : owner;
}

/** Whether the root may be a skill itself, which then owns everything below it. A skill in it may have its name. */
function mayBeSkill(source: ScannableSource, ids: SkillIds): boolean {
  const { root } = source.partial;
  const name = basename(root);
  const hasFile = (folder: string) => ['SKILL.md', 'skill.md'].some((file) => existsSync(join(folder, file)));
  return hasFile(root) || (ids.isKnown(source, name) && !hasFile(join(root, name)));
}

/** The subtree to rescan for a changed path: '' if it affects no skill, null if it affects the whole root. */
function findSubtree(segments: readonly string[], source: ScannableSource, ids: SkillIds): string | null {
  for (let length = 1; length <= segments.length; length += 1) {
    const path = segments.slice(0, length).join('/');
    if (ids.isKnown(source, path)) return path;
  }
  if (segments.at(-1)?.toLowerCase() === 'skill.md')
    return segments.length > 1 ? segments.slice(0, -1).join('/') : null;
  return isFile(join(source.partial.root, ...segments)) ? '' : segments.join('/');
}

/** The paths that are below none of the others. */
function withoutNested(paths: ReadonlySet<string>): string[] {
  const sorted = [...paths].sort();
  return sorted.filter((path) => !sorted.some((other) => path.startsWith(`${other}/`)));
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}
