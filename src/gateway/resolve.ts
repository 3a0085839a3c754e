/**
 * From an id, the end of one, a URI or a name to exactly one skill, and back to the shortest form that finds it. Ambiguous
 * input is an error, never a guess.
 */

import { distance } from 'fastest-levenshtein';
import { findTerms } from '../../index/lexical/query/find-terms.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { type Precedence, precedenceOf } from '../search/copies.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { GatewayError } from './gateway-error.ts';

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
function oneSkill(reader: Reader, ordinals: readonly number[], precedence?: Precedence) {
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

/** Number of suggestions for an unknown name. */
export const NEAREST = 5;
/** A misspelling differs by at most this Levenshtein distance, and by at most a third of its characters. */
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
  const called = documentsCalled(reader, wanted);
  const entries = called.map((ordinal) => entryAt(reader, ordinal));
  const exact = entries.find(({ id, uri }) => id === wanted || uri === wanted);
  if (exact !== undefined) return exact;
  const meant = oneSkill(reader, called, precedence);
  if (meant !== undefined) return entryAt(reader, meant);
  const named = /^skill:\/\/[^/]+(?:\/SKILL\.md)?$/.test(wanted)
    ? namedInUri(reader, wanted, precedence)
    : undefined;
  if (named !== undefined) return named;
  if (called.length > 0) throw ambiguous(reader, wanted, entries, precedence);
  if (wanted.startsWith(HOST_PREFIX))
    return resolveSkill(reader, wanted.slice(HOST_PREFIX.length), precedence);
  const nearest = nearestIds(reader, wanted).map((id) => shortId(reader, id, precedence));
  const advice =
    reader.documents === 0
      ? 'The catalog is empty.'
      : nearest.length > 0
        ? `The nearest ids are ${nearest.join(', ')}.`
        : 'No id is near.';
  throw new GatewayError('SKILL_UNKNOWN', `There is no skill ${quoted(wanted)}. ${advice}`, {
    data: { skill: wanted, nearest },
  });
}

/** The skill that `skill://<name>` or `skill://<name>/<file>` means, if only one has the name. */
export function namedInUri(
  reader: Reader,
  uri: string,
  precedence: Precedence | undefined,
): CatalogEntry | undefined {
  const name = /^skill:\/\/([^/]+)/.exec(uri)?.[1];
  const meant = name === undefined ? undefined : oneSkill(reader, documentsCalled(reader, name), precedence);
  return meant === undefined ? undefined : entryAt(reader, meant);
}

function ambiguous(
  reader: Reader,
  wanted: string,
  entries: readonly CatalogEntry[],
  precedence?: Precedence,
): GatewayError {
  const candidates = entries
    .slice(0, CANDIDATES)
    .map(({ id, description }) => ({ id: shortId(reader, id, precedence), description }));
  const rest = entries.length > candidates.length ? ` (the first ${candidates.length} are listed)` : '';
  return new GatewayError(
    'SKILL_AMBIGUOUS',
    `${entries.length} skills are called ${quoted(wanted)}${rest}. Ask again with one of their ids.`,
    { data: { skill: wanted, candidates } },
  );
}

/** The document with this id. */
export function ordinalOf(reader: Reader, id: string): number {
  const ordinal = reader.ordinalOf(id);
  if (ordinal === null) throw new RangeError(`The index does not contain its own skill ${id}.`);
  return ordinal;
}

/** The error for a skill that is in the catalog but not on disk. */
export function gone({ id }: CatalogEntry, reason: string): GatewayError {
  return new GatewayError(
    'SKILL_GONE',
    `The skill ${id} is in the catalog but cannot be read: ${reason}. The catalog is being updated.`,
    { data: { skill: id } },
  );
}

/** Misspelled ids, then those whose name and description have most of the words. Empty if none is near: a far one only misleads. */
function nearestIds(reader: Reader, wanted: string): string[] {
  const name = lastSegment(wanted).toLowerCase();
  const keys = Array.from(reader.ordinalsByKey(), (ordinal) => reader.key(ordinal));
  const misspelled = near(
    name,
    closest(name, keys, (key) => lastSegment(key).toLowerCase()),
  );
  // An outline has no words.
  if (reader.isOutline) return misspelled.slice(0, NEAREST);
  const query = reader.lexical.prepare(wanted.slice(0, COMPARED));
  const byWords = reader.lexical.match(query, NEAREST, reader.accept([])).ordinals;
  const terms = new Set(query.terms.map(({ term }) => term));
  const alike = byWords.filter((ordinal) => {
    const { name, description } = entryAt(reader, ordinal);
    const found = new Set(findTerms(`${name} ${description}`, terms).map(({ term }) => term));
    return 2 * found.size > terms.size;
  });
  const ids = Array.from(alike, (ordinal) => reader.key(ordinal));
  return [...new Set([...misspelled, ...ids])].slice(0, NEAREST);
}

/** The items that may be misspellings of the text. */
export const near = <T>(
  wanted: string,
  items: readonly { readonly item: T; readonly edits: number }[],
): T[] =>
  items
    .filter(({ edits }) => edits <= Math.min(MISSPELLED, Math.ceil(wanted.length / 3)))
    .map(({ item }) => item);

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
