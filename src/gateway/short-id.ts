/**
 * The shortest form of an id that finds its skill: its last segment, as many segments as are needed to tell it from
 * others, or the whole id. `resolve.ts` reads these forms back.
 */

import type { Reader } from '../../index/reader/reader.ts';
import { type Precedence, precedenceOf } from '../search/copies.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';

/** Between two segments of an id; a colon follows the name of a source. */
const SEPARATOR = /[/:]/g;

/**
 * Documents that a text means, in order of id: those with this id, URI or name, else those whose id ends with these
 * segments.
 */
export function documentsCalled(reader: Reader, text: string): number[] {
  const all = reader.resolve(text);
  // The name that a skill is published under stands back behind the names that others were given.
  const given = all.length < 2 ? all : all.filter((ordinal) => isGiven(entryAt(reader, ordinal), text));
  const named = given.length > 0 ? given : all;
  if (named.length > 0 || !/[/:]/.test(text)) return named;
  const last = text.slice(lastSeparator(text) + 1);
  return reader.resolve(last).filter((ordinal) => {
    const key = reader.key(ordinal);
    return key.endsWith(text) && /[/:]$/.test(key.slice(0, -text.length));
  });
}

const isGiven = ({ id, name, uri }: CatalogEntry, text: string) =>
  name === text || !uri.endsWith(`/${text}/SKILL.md`) || id.slice(lastSeparator(id) + 1) === text;

/**
 * The document among several of one name that is meant: identical ones are one skill, and the first source's stands for
 * them. Undefined if they differ.
 */
export function oneSkill(reader: Reader, ordinals: readonly number[], precedence?: Precedence) {
  const [first, ...others] = ordinals;
  if (first === undefined || others.length === 0) return first;
  const { digest } = entryAt(reader, first);
  if (others.some((ordinal) => entryAt(reader, ordinal).digest !== digest)) return undefined;
  const rankOf = (ordinal: number) => precedenceOf(precedence, entryAt(reader, ordinal));
  return ordinals.reduce((a, b) => (rankOf(b) < rankOf(a) ? b : a));
}

export function shortId(reader: Reader, id: string, precedence?: Precedence): string {
  const starts = Array.from(id.matchAll(SEPARATOR), ({ index }) => index + 1);
  for (const start of starts.reverse()) {
    const short = id.slice(start);
    if (short === '') continue;
    const meant = oneSkill(reader, documentsCalled(reader, short), precedence);
    if (meant !== undefined && reader.key(meant) === id) return short;
  }
  return id;
}

const lastSeparator = (text: string) => Math.max(text.lastIndexOf('/'), text.lastIndexOf(':'));
