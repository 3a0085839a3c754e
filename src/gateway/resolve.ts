/**
 * From an id, the end of one, a URI or a name to exactly one skill, and back to the shortest form that finds it. Ambiguous
 * input is an error, never a guess.
 */

import { hash } from 'node:crypto';
import { findTerms } from '../../index/lexical/query/find-terms.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { closest, quoted } from '../base/text.ts';
import type { LibraryView } from '../catalog/library.ts';
import { type Precedence, precedenceOf } from '../search/copies.ts';
import { entryAt, type Searchable } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { GatewayError } from './gateway-error.ts';

/** Between two segments of an id; a colon follows the name of a source. */
const SEPARATOR = /[/:]/g;

/**
 * Documents that a text means, in order of id: those with this id, URI or name, else those whose id ends with these
 * segments.
 */
export function documentsCalled(reader: Reader, text: string): number[] {
  const called = documentsSpelled(reader, text);
  if (called.length > 0 || !/[\u0080-\uffff]/.test(text)) return called;
  // File systems and keyboards spell `ä` in one character or in two.
  const others = [text.normalize('NFC'), text.normalize('NFD')].filter((spelling) => spelling !== text);
  return others.map((spelling) => documentsSpelled(reader, spelling)).find(({ length }) => length > 0) ?? [];
}

function documentsSpelled(reader: Reader, text: string): number[] {
  const all = reader.resolve(text);
  // Prefer a skill's own name over the alias that it is published under.
  const given = all.length < 2 ? all : all.filter((ordinal) => isGiven(reader, ordinal, text));
  const named = given.length > 0 ? given : all;
  if (named.length > 0 || !/[/:]/.test(text)) return named;
  const last = text.slice(lastSeparator(text) + 1);
  return reader.resolve(last).filter((ordinal) => {
    const key = reader.key(ordinal);
    return key.endsWith(text) && /[/:]$/.test(key.slice(0, -text.length));
  });
}

/** Reads the entry only where the id does not say it. */
function isGiven(reader: Reader, ordinal: number, text: string): boolean {
  const id = reader.key(ordinal);
  if (id.slice(lastSeparator(id) + 1) === text) return true;
  const { name, uri } = entryAt(reader, ordinal);
  return name === text || !uri.endsWith(`/${text}/SKILL.md`);
}

/**
 * The document among several of one name that is meant: identical ones are one skill, and the first source's represents
 * them. Undefined if they differ.
 */
function oneSkill(reader: Reader, ordinals: readonly number[], precedence?: Precedence) {
  const [first, ...others] = ordinals;
  if (first === undefined || others.length === 0) return first;
  const { digest } = entryAt(reader, first);
  if (others.some((ordinal) => entryAt(reader, ordinal).digest !== digest)) return undefined;
  const rankEntry = (ordinal: number) => precedenceOf(precedence, entryAt(reader, ordinal));
  return ordinals.reduce((a, b) => (rankEntry(b) < rankEntry(a) ? b : a));
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

/** Longest name of the Skills extension, characters. */
const NAME_CHARACTERS = 64;
const HASH_DIGITS = 8;
const BASE_CHARACTERS = NAME_CHARACTERS - HASH_DIGITS - 1;
const ALIAS = new RegExp(`^(.{1,${BASE_CHARACTERS}})-([0-9a-f]{${HASH_DIGITS}})$`, 's');

/** The shortest form of the skill's id, or where that is no short name, its published name with a hash of its id: unique. */
export function shortAlias(reader: Reader, { id, uri }: Pick<CatalogEntry, 'id' | 'uri'>): string {
  const short = shortId(reader, id);
  if (short.length <= NAME_CHARACTERS) return short;
  const published = uri.split('/').at(-2) ?? '';
  const alias = `${published.slice(0, BASE_CHARACTERS)}-${hashId(id)}`;
  return documentsCalled(reader, alias).length === 0 ? alias : id;
}

const hashId = (id: string) => hash('sha256', id).slice(0, HASH_DIGITS);

/** The only document with that alias with a hash. A name that was cut is not looked up, so all ids are hashed. */
function documentAliased(reader: Reader, text: string): number | undefined {
  const [, base = '', digits] = ALIAS.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const candidates = base.length < BASE_CHARACTERS ? documentsCalled(reader, base) : reader.ordinalsByKey();
  const [only, ...others] = Array.from(candidates).filter(
    (ordinal) => hashId(reader.key(ordinal)) === digits,
  );
  return others.length === 0 ? only : undefined;
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

/** Longest time that a call which missed waits for the index to hold what has changed, ms. */
export const MISSED_WAIT_MS = 1_000;

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
  const composed = wanted.normalize('NFC');
  const exact = entries.find(({ id, uri }) => [id.normalize('NFC'), uri].includes(composed));
  if (exact !== undefined) return exact;
  const meant = oneSkill(reader, called, precedence);
  if (meant !== undefined) return entryAt(reader, meant);
  const named = /^skill:\/\/[^/]+(?:\/SKILL\.md)?$/.test(wanted)
    ? namedInUri(reader, wanted, precedence)
    : undefined;
  if (named !== undefined) return named;
  const aliased = called.length > 0 ? undefined : documentAliased(reader, wanted);
  if (aliased !== undefined) return entryAt(reader, aliased);
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

/** A skill, and the index that was searched for it. */
interface Resolved {
  readonly entry: CatalogEntry;
  readonly index: Searchable;
}

/**
 * The same in the library as it is now: what the index does not know is looked for on disk, and then in what the index holds a moment
 * later.
 */
export async function resolveNow(library: LibraryView, skill: string): Promise<Resolved> {
  const index = await library.current();
  try {
    return { entry: resolveSkill(index.reader, skill, index.precedence), index };
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const entry = oneUnindexed((await library.unindexed?.(skill.trim())) ?? [], skill.trim(), index);
    if (entry !== undefined) return { entry, index };
    const later = await library.current({ waitMs: MISSED_WAIT_MS });
    if (later.reader !== index.reader)
      return { entry: resolveSkill(later.reader, skill, later.precedence), index: later };
    throw later.isBehind ? stillUnknown(error) : error;
  }
}

const isUnknown = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.code === 'SKILL_UNKNOWN';

const stillUnknown = ({ message, data }: GatewayError) =>
  new GatewayError(
    'SKILL_UNKNOWN',
    `${message} The skill folders are still being checked: if it is new, ask again in a few seconds.`,
    { data },
  );

/** Throws `SKILL_AMBIGUOUS` where the entries are of different skills. */
function oneUnindexed(
  entries: readonly CatalogEntry[],
  wanted: string,
  { reader, precedence }: Searchable,
): CatalogEntry | undefined {
  const [first, ...others] = entries.toSorted(
    (a, b) => precedenceOf(precedence, a) - precedenceOf(precedence, b),
  );
  const exact = entries.find(({ id, uri }) => id === wanted || uri === wanted);
  if (exact !== undefined || first === undefined || others.every(({ digest }) => digest === first.digest))
    return exact ?? first;
  throw ambiguous(reader, wanted, entries, precedence);
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
export function findOrdinal(reader: Reader, id: string): number {
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
  const misspelled = misspellings(name, keys, (key) => lastSegment(key).toLowerCase());
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

/** The items that may be misspellings of the text, at most `NEAREST`, nearest first. */
export const misspellings = <T>(wanted: string, items: readonly T[], textOf: (item: T) => string): T[] =>
  closest(wanted, items, textOf, {
    most: NEAREST,
    within: Math.min(MISSPELLED, Math.ceil(wanted.length / 3)),
  });

const lastSegment = (path: string) =>
  path.split(/[/:]/).findLast((part) => part !== '' && part !== 'SKILL.md') ?? path;
