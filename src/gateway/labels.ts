/**
 * What to call a skill where a name alone has to mean it, and names that begin like what somebody typed. The reverse
 * of `resolve.ts`: whatever is given out here resolves to the skill it was given out for.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reader } from '#index';
import type { CatalogEntry } from '../catalog/entry.ts';
import { entryAt } from '../search/search.ts';
import type { SkillLabel } from './gateway.ts';

/** The skill's name where it means this skill alone, else its id. */
export function callName(reader: Reader, { id, name }: Pick<CatalogEntry, 'id' | 'name'>): string {
  const meant = reader.resolve(name);
  return meant.length === 1 && reader.key(meant[0]!) === id ? name : id;
}

export async function labelOf(reader: Reader, entry: CatalogEntry): Promise<SkillLabel> {
  const file = await stat(join(entry.folder, entry.file)).catch(() => null);
  const name = callName(reader, entry);
  return file === null ? { name } : { name, modifiedAt: file.mtime.toISOString() };
}

interface Callable {
  readonly called: string;
  /** Lower-case texts by which it may be looked for. */
  readonly beginnings: readonly string[];
}

/** Reading every entry of a large catalog takes a few hundred milliseconds: once a generation, not once a key. */
const kept = new WeakMap<Reader, readonly Callable[]>();

/** What skills are called whose name, id or folder begins so, in order of code units, whatever the case. */
export function completeName(reader: Reader, prefix: string): string[] {
  const callables = kept.get(reader) ?? callablesOf(reader);
  kept.set(reader, callables);
  const wanted = prefix.trim().toLowerCase();
  return callables
    .filter(({ beginnings }) => beginnings.some((text) => text.startsWith(wanted)))
    .map(({ called }) => called);
}

function callablesOf(reader: Reader): Callable[] {
  return Array.from(reader.ordinalsByKey(), (ordinal) => {
    const entry = entryAt(reader, ordinal);
    const folder = entry.id.slice(entry.id.lastIndexOf('/') + 1);
    const beginnings = [...new Set([entry.name, entry.id, folder].map((text) => text.toLowerCase()))];
    return { called: callName(reader, entry), beginnings };
  }).sort((a, b) => (a.called < b.called ? -1 : 1));
}
