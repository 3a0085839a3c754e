/**
 * Which file of a skill a caller means. Agents copy paths from Markdown, from other skills and from our own answers, so a path
 * may be percent-encoded, name an anchor or lines, begin with the skill's folder, or spell `ä` in two characters. A file's exact
 * name always wins, and only names in the skill's list of files are compared.
 */

import { decoded } from '../base/text.ts';
import { containedPath } from '../skills/containment.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { LoadedFile } from './gateway.ts';

export type Reference =
  | {
      /** As the list of files spells it. */
      readonly path: string;
      /** The part that the path names: `path:3-5`, `path#L3-L5`. */
      readonly lines?: readonly [from: number, to: number];
      /** The anchor of a heading, without `#`. */
      readonly anchor?: string;
    }
  /** No file of the list; `path` is what was looked for. */
  | { readonly unknown: string }
  /** The path may not be looked for, and why. */
  | { readonly refused: string };

/** One way to read what the caller wrote. */
interface Spelling extends Pick<Extract<Reference, { path: string }>, 'lines' | 'anchor'> {
  readonly path: string;
}

export function findReference(
  entry: Pick<CatalogEntry, 'id' | 'name' | 'uri'>,
  requested: string,
  files: readonly Pick<LoadedFile, 'path'>[],
): Reference {
  const listed = new Map<string, string>();
  for (const { path } of files)
    if (!listed.has(path.normalize('NFC'))) listed.set(path.normalize('NFC'), path);
  for (const { path } of files) listed.set(path, path);
  const written = pathInUri(entry, requested);
  let refused: string | undefined;
  let unknown: string | undefined;
  for (const { path, ...part } of spellings(entry, written)) {
    const contained = containedPath(path);
    if (!contained.ok) {
      refused ??= contained.reason;
      continue;
    }
    const name = listed.get(contained.path) ?? listed.get(contained.path.normalize('NFC'));
    if (name !== undefined) return { path: name, ...part };
    unknown ??= contained.path;
  }
  return containedPath(written.replaceAll('\\', '/')).ok && unknown !== undefined
    ? { unknown }
    : { refused: refused ?? 'it is empty' };
}

/** The path in a resource URI of this skill; anything else as it is. */
function pathInUri({ uri }: Pick<CatalogEntry, 'uri'>, requested: string): string {
  const base = uri.replace(/[^/]*$/, '');
  return requested.startsWith(base) ? decoded(requested.slice(base.length)) : requested;
}

/** From the most literal reading to the freest. */
function* spellings(entry: Pick<CatalogEntry, 'id' | 'name'>, written: string): Generator<Spelling> {
  const slashed = written.replaceAll('\\', '/');
  for (const path of new Set([written, slashed, decoded(slashed)])) {
    for (const spelling of [{ path }, ...withoutPart(path)]) {
      yield spelling;
      const inside = withoutSkill(entry, spelling.path);
      if (inside !== null) yield { ...spelling, path: inside };
    }
  }
}

/** `path#anchor`, `path#L3-L5`, `path:3-5` and `path:3`. */
function withoutPart(path: string): Spelling[] {
  const [, before = '', anchor = ''] = /^([^#]+)#(.*)$/s.exec(path) ?? [];
  if (before !== '') {
    const lines = lineRange(/^L(\d+)(?:-L?(\d+))?$/.exec(anchor));
    if (lines !== null) return [{ path: before, lines }];
    return [anchor === '' ? { path: before } : { path: before, anchor: decoded(anchor) }];
  }
  const [, file = '', numbers = ''] = /^(.+):(\d+(?:-\d+)?)$/s.exec(path) ?? [];
  const lines = lineRange(/^(\d+)(?:-(\d+))?$/.exec(numbers));
  return lines === null ? [] : [{ path: file, lines }];
}

function lineRange(match: RegExpExecArray | null): [number, number] | null {
  return match === null ? null : [Number(match[1]), Number(match[2] ?? match[1])];
}

/** Without the skill's name, folder or id in front; null if there is none. */
function withoutSkill({ id, name }: Pick<CatalogEntry, 'id' | 'name'>, path: string): string | null {
  const below = path.replace(/^\.\//, '');
  const folders = [id, id.split(/[/:]/).at(-1) ?? id, name];
  const folder = folders.find((start) => start !== '' && below.startsWith(`${start}/`));
  return folder === undefined ? null : below.slice(folder.length + 1);
}
