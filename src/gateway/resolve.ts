/** From an id, URI or name to exactly one skill. Ambiguous input is an error, never a guess. */

import { distance } from 'fastest-levenshtein';
import type { Reader } from '#index';
import type { CatalogEntry } from '../catalog/public.ts';
import { entryAt, type Precedence, precedenceOf } from '../search/public.ts';
import { GatewayError } from './gateway-error.ts';

/** Number of suggestions for an unknown name. */
export const NEAREST = 5;
/** Up to this Levenshtein distance, a misspelled id ranks before an id that shares a word. */
const MISSPELLED = 3;
/** Characters of a name that are compared: input may be arbitrarily long. */
const COMPARED = 200;
/** Candidates listed for an ambiguous name. */
const CANDIDATES = 10;

/** Hosts of the profile skill-engine put this in front of names. */
const HOST_PREFIX = 'skill-engine/';

/**
 * Of identical skills with the same name, the one of the first source. Throws `SKILL_UNKNOWN` with the nearest ids, or
 * `SKILL_AMBIGUOUS` with the candidates.
 */
export function resolveSkill(reader: Reader, skill: string, precedence?: Precedence): CatalogEntry {
  const wanted = skill.trim();
  const entries = reader.resolve(wanted).map((ordinal) => entryAt(reader, ordinal));
  const exact = entries.find(({ id, uri }) => id === wanted || uri === wanted);
  if (exact !== undefined) return exact;
  const meant =
    onlyOne(entries, precedence) ??
    (/^skill:\/\/[^/]+(?:\/SKILL\.md)?$/.test(wanted) ? namedInUri(reader, wanted, precedence) : undefined);
  if (meant !== undefined) return meant;
  if (entries.length > 0) throw ambiguous(wanted, entries);
  if (wanted.startsWith(HOST_PREFIX))
    return resolveSkill(reader, wanted.slice(HOST_PREFIX.length), precedence);
  const nearest = nearestIds(reader, wanted);
  const advice = nearest.length > 0 ? `The nearest ids are ${nearest.join(', ')}.` : 'The catalog is empty.';
  throw new GatewayError(
    'SKILL_UNKNOWN',
    `There is no skill ${quoted(wanted)}. ${advice} Or search by intent.`,
    { data: { skill: wanted, nearest } },
  );
}

/** Of identical skills the one of the first source; undefined where they differ. */
function onlyOne(
  entries: readonly CatalogEntry[],
  precedence: Precedence | undefined,
): CatalogEntry | undefined {
  const [first, ...others] = entries;
  if (first === undefined || others.some(({ digest }) => digest !== first.digest)) return undefined;
  return entries.reduce((a, b) => (precedenceOf(precedence, b) < precedenceOf(precedence, a) ? b : a));
}

/** The skill that `skill://<name>` or `skill://<name>/<file>` means, if only one has the name. */
export function namedInUri(
  reader: Reader,
  uri: string,
  precedence: Precedence | undefined,
): CatalogEntry | undefined {
  const name = /^skill:\/\/([^/]+)/.exec(uri)?.[1];
  if (name === undefined) return undefined;
  return onlyOne(
    reader.resolve(name).map((ordinal) => entryAt(reader, ordinal)),
    precedence,
  );
}

function ambiguous(wanted: string, entries: readonly CatalogEntry[]): GatewayError {
  const candidates = entries.slice(0, CANDIDATES).map(({ id, description }) => ({ id, description }));
  const rest = entries.length > candidates.length ? ` (the first ${candidates.length} are listed)` : '';
  return new GatewayError(
    'SKILL_AMBIGUOUS',
    `${entries.length} skills are called ${quoted(wanted)}${rest}. Ask again with one of their ids.`,
    { data: { skill: wanted, candidates } },
  );
}

/** The error for a skill that is in the catalog but not on disk. */
export function gone({ id }: CatalogEntry, reason: string): GatewayError {
  return new GatewayError(
    'SKILL_GONE',
    `The skill ${id} is in the catalog but cannot be read: ${reason}. Search again; the catalog is being updated.`,
    { data: { skill: id } },
  );
}

/** Misspelled ids, then ids that share words with the name, then ids by the spelling of their last segment. */
function nearestIds(reader: Reader, wanted: string): string[] {
  const query = reader.lexical.prepare(wanted.slice(0, COMPARED));
  const byWords = reader.lexical.match(query, NEAREST, reader.accept([])).ordinals;
  const name = lastSegment(wanted).toLowerCase();
  const keys = Array.from(reader.ordinalsByKey(), (ordinal) => reader.key(ordinal));
  const bySpelling = closest(name, keys, (key) => lastSegment(key).toLowerCase());
  const misspelled = bySpelling.filter(({ edits }) => edits <= MISSPELLED).map(({ item }) => item);
  const all = [
    ...misspelled,
    ...Array.from(byWords, (ordinal) => reader.key(ordinal)),
    ...bySpelling.map(({ item }) => item),
  ];
  return [...new Set(all)].slice(0, NEAREST);
}

/** The `NEAREST` items by Levenshtein distance between their text and `wanted`, nearest first. */
export function closest<T>(
  wanted: string,
  items: readonly T[],
  textOf: (item: T) => string,
): { readonly item: T; readonly edits: number }[] {
  const start = wanted.slice(0, COMPARED);
  return items
    .map((item) => ({ item, edits: distance(start, textOf(item).slice(0, COMPARED)) }))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, NEAREST);
}

const lastSegment = (path: string) =>
  path.split(/[/:]/).findLast((part) => part !== '' && part !== 'SKILL.md') ?? path;

/** Quoted for a message, and clipped: input may be arbitrarily long. */
export const quoted = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 119)}…` : text);
