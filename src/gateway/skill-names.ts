/** Names of skills that find exactly one, and the completion of names, ids and URIs, for an editor or a form. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reader } from '../../index/reader/reader.ts';
import { acceptedBy, entryAt } from '../search/search.ts';
import { isName } from '../skills/strict.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { SkillLabel } from './gateway.ts';
import { documentsCalled, shortAlias } from './resolve.ts';

/** The skill's name where no other skill shares it, else its id. */
function uniqueName(reader: Reader, { id, name }: Pick<CatalogEntry, 'id' | 'name'>): string {
  const meant = documentsCalled(reader, name);
  return meant.length === 1 && reader.key(meant[0]!) === id ? name : id;
}

/** The name under the rule for names, or the one that the skill is published under; where neither is unique, a short alias. */
function validName(reader: Reader, entry: CatalogEntry): string {
  const { id, name } = entry;
  const published = entry.uri.split('/').at(-2) ?? '';
  const valid = isName(name) ? name : published;
  return uniqueName(reader, { id, name: valid }) === valid ? valid : shortAlias(reader, entry);
}

export async function labelSkill(reader: Reader, entry: CatalogEntry): Promise<SkillLabel> {
  const file = await stat(join(entry.folder, entry.file)).catch(() => null);
  const name = validName(reader, entry);
  return file === null ? { name } : { name, modifiedAt: file.mtime.toISOString() };
}

interface Completion {
  readonly name: string;
  /** Lower-case texts whose prefixes match. */
  readonly keys: readonly string[];
}

/** Per snapshot: reading every entry of a large catalog for each typed character would be too slow. */
const cache = new WeakMap<Reader, readonly Completion[]>();

/** Unambiguous names of the skills for people whose name, id or folder has this prefix, in code-unit order; case is ignored. */
export function completeName(reader: Reader, prefix: string): string[] {
  const completions = cache.get(reader) ?? listCompletions(reader);
  cache.set(reader, completions);
  const wanted = prefix.trim().toLowerCase();
  return completions.filter(({ keys }) => keys.some((key) => key.startsWith(wanted))).map(({ name }) => name);
}

function listCompletions(reader: Reader): Completion[] {
  const accept = acceptedBy(reader, { audience: 'people' });
  const ordinals = reader.ordinalsByKey().filter((ordinal) => accept[ordinal] === 1);
  return Array.from(ordinals, (ordinal) => {
    const entry = entryAt(reader, ordinal);
    const folder = entry.id.slice(entry.id.lastIndexOf('/') + 1);
    const keys = [...new Set([entry.name, entry.id, folder].map((text) => text.toLowerCase()))];
    return { name: uniqueName(reader, entry), keys };
  }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Up to `limit` skills: first those whose id begins with the text, then those whose id's last segment
 * does, then those whose id contains it, each group in order of id. The text may begin with a source's name and a slash,
 * or be a prefix of such a name. Case is ignored.
 */
export const completeSkill = (reader: Reader, text: string, limit: number): CatalogEntry[] =>
  matching(reader, ranking(reader, text.toLowerCase()))
    .slice(0, limit)
    .map(({ ordinal }) => entryAt(reader, ordinal));

/** 0 is best; null where the id does not match. */
type RankOf = (id: string, ordinal: number) => number | null;

function ranking(reader: Reader, text: string): RankOf {
  const sources = reader.facetCounts('source:').map(({ value }) => value);
  const source = sources.find((name) => text.startsWith(`${name}/`));
  const wanted = source === undefined ? text : text.slice(source.length + 1);
  const matchingSources = source === undefined ? sources.filter((name) => name.startsWith(text)) : [source];
  const inMatchingSource = reader.accept([matchingSources.map((name) => `source:${name}`)]);
  return (id, ordinal) => {
    if (source !== undefined && inMatchingSource[ordinal] !== 1) return null;
    if (id.startsWith(wanted)) return 0;
    if (id.slice(id.lastIndexOf('/') + 1).startsWith(wanted)) return 1;
    if (id.includes(wanted)) return 2;
    return source === undefined && inMatchingSource[ordinal] === 1 ? 3 : null;
  };
}

/** Matches ids only: they are in memory, entries are on disk. */
function matching(reader: Reader, rankOf: RankOf): { ordinal: number; rank: number }[] {
  const found = Array.from(reader.ordinalsByKey()).flatMap((ordinal) => {
    const rank = rankOf(reader.key(ordinal).toLowerCase(), ordinal);
    return rank === null ? [] : { ordinal, rank };
  });
  // The sort is stable: ids stay in order within a rank.
  return found.sort((a, b) => a.rank - b.rank);
}
