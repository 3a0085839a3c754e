/**
 * A part of the catalog, looked at again because paths in it changed: as little of it as tells the same as looking at
 * all of it would. What it costs depends on the skills that those paths belong to, not on the catalog.
 *
 * A skill's files are those below it but for nested skills'. So a changed path can concern the outermost skill above it
 * and what lies below that, nothing else: ids are made of places, and no skill looks outside its folder. Where that does
 * not hold (links, sources within each other, ids that several sources share) the answer is null: look at all of it.
 */

import { existsSync, lstatSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { Diagnostic } from '../skills/skill.ts';
import type { SkillFolder } from './entry.ts';
import { realPathOf } from './real-path.ts';
import type { PartialScan, Source } from './sources/source.ts';

/** What is known of the catalog as it was. */
export interface Known {
  /** The source of the skill with that id; null where there is none. */
  sourceOf(id: string): string | null;
  /** Ids that begin with `<id>/`, in order. */
  below(id: string): readonly string[];
}

export interface CatalogPart {
  /** Folders that are there now, in order of id. */
  readonly folders: readonly SkillFolder[];
  /** Known ids of what was looked at: those without a folder are gone. */
  readonly known: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** More parts than this, and looking at all of it is cheaper. */
const MOST_PARTS = 100;

type Divisible = Source & { readonly partial: PartialScan };

/**
 * `paths` are absolute, and what is at them may have changed in any way, or be gone. `qualifyIds` is as in
 * `readCatalog`, which `known` came from.
 */
export function readPart(
  sources: readonly Source[],
  paths: readonly string[],
  known: Known,
  qualifyIds = false,
): CatalogPart | null {
  const names = new Names(known, sources.filter(isThere).length > 1, qualifyIds);
  const places = new Map<Divisible, Set<string>>();
  for (const path of paths) {
    const source = holderOf(path, sources);
    if (source === null || isSkillItself(source, names)) return null;
    const place = outermost(relative(source.partial.root, path).split(sep), source, names);
    if (place === null) return null;
    if (place !== '') places.set(source, (places.get(source) ?? new Set()).add(place));
  }
  const parts: CatalogPart[] = [];
  for (const [source, changed] of places)
    for (const place of withoutInner(changed)) {
      const part = parts.length < MOST_PARTS ? partAt(source, place, names) : null;
      if (part === null) return null;
      parts.push(part);
    }
  return {
    folders: parts.flatMap(({ folders }) => folders).sort((a, b) => (a.id < b.id ? -1 : 1)),
    known: parts.flatMap(({ known: ids }) => ids),
    diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
  };
}

function partAt(source: Divisible, place: string, names: Names): CatalogPart | null {
  const scan = source.partial.scan(place);
  if (scan === null) return null;
  const folders = scan.folders.map((folder) => ({ ...folder, id: names.idOf(source, folder.id) }));
  const known = names.under(source, place);
  // Whether an id is qualified is decided among all sources, so where they share them none may come or go.
  const ids = new Set(known);
  if (names.shared && (folders.length !== ids.size || folders.some(({ id }) => !ids.has(id)))) return null;
  return { folders, known, diagnostics: scan.diagnostics };
}

/** Ids of places. */
class Names {
  /** True where it depends on other sources whether an id names its own. */
  readonly shared: boolean;
  readonly #known: Known;
  readonly #qualifyIds: boolean;

  constructor(known: Known, several: boolean, qualifyIds: boolean) {
    this.#known = known;
    this.#qualifyIds = qualifyIds;
    this.shared = several && !qualifyIds;
  }

  idOf({ name }: Source, place: string): string {
    const qualified = `${name}:${place}`;
    return this.#qualifyIds || (this.shared && this.#known.sourceOf(qualified) === name) ? qualified : place;
  }

  isKnown(source: Source, place: string): boolean {
    return this.#known.sourceOf(this.idOf(source, place)) === source.name;
  }

  /** Known ids of the source at or below a place. */
  under({ name }: Source, place: string): string[] {
    const forms = this.#qualifyIds
      ? [`${name}:${place}`]
      : this.shared
        ? [place, `${name}:${place}`]
        : [place];
    return forms
      .flatMap((id) => [id, ...this.#known.below(id)])
      .filter((id) => this.#known.sourceOf(id) === name);
  }
}

/** False for a folder that is missing: it shares nothing with others until it comes, and then all is looked at. */
const isThere = ({ partial }: Source) => partial === undefined || existsSync(partial.root);

/** The one source that holds the path; null where there is none, or several do. */
function holderOf(path: string, sources: readonly Source[]): Divisible | null {
  const divisible = sources.filter((source): source is Divisible => source.partial !== undefined);
  const holder = divisible.find(({ partial: { root } }) => path.startsWith(root + sep));
  if (holder === undefined) return null;
  const real = realPathOf(holder.partial.root);
  if (real === null) return null;
  const at = join(real, relative(holder.partial.root, path));
  const others = divisible
    .filter((source) => source !== holder)
    .map(({ partial }) => realPathOf(partial.root));
  const isShared = others.some((root) => root !== null && (at + sep).startsWith(root + sep));
  return isShared ? null : holder;
}

/** Whether the root may be a skill, to which everything below it belongs. */
function isSkillItself(source: Divisible, names: Names): boolean {
  const { root } = source.partial;
  return (
    names.isKnown(source, basename(root)) ||
    ['SKILL.md', 'skill.md'].some((name) => existsSync(join(root, name)))
  );
}

/** The place to scan for a changed path: '' where it concerns no skill, null where it is the root's own affair. */
function outermost(parts: readonly string[], source: Divisible, names: Names): string | null {
  for (let length = 1; length <= parts.length; length += 1) {
    const place = parts.slice(0, length).join('/');
    if (names.isKnown(source, place)) return place;
  }
  if (parts.at(-1)?.toLowerCase() === 'skill.md')
    return parts.length > 1 ? parts.slice(0, -1).join('/') : null;
  return isFile(join(source.partial.root, ...parts)) ? '' : parts.join('/');
}

/** Places that lie in none of the others. */
function withoutInner(places: ReadonlySet<string>): string[] {
  const sorted = [...places].sort();
  return sorted.filter((place) => !sorted.some((other) => place.startsWith(`${other}/`)));
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}
