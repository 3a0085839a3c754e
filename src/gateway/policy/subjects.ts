/** What a policy knows of each skill of a snapshot, out of the index's memory: no entry is read from disk for it. */

import type { Reader } from '#index';
import type { CatalogEntry } from '../../catalog/entry.ts';
import { idsOf, type Subject } from './choice.ts';

interface Gathered {
  source: string;
  license: string | undefined;
  suspicious: boolean;
  readonly tags: string[];
}

const kept = new WeakMap<Reader, ReadonlyMap<number, Subject>>();

/** By ordinal, of every living document of the snapshot. */
export function subjectsOf(reader: Reader): ReadonlyMap<number, Subject> {
  const subjects = kept.get(reader) ?? gather(reader);
  kept.set(reader, subjects);
  return subjects;
}

export function subjectOf({ id, source, tags, license, marks }: CatalogEntry): Subject {
  return {
    ids: idsOf(id, source),
    source,
    tags: tags.map((tag) => tag.toLowerCase()),
    license,
    suspicious: marks !== undefined,
  };
}

function gather(reader: Reader): ReadonlyMap<number, Subject> {
  const gathered = new Map<number, Gathered>();
  for (const { facet, ordinals } of reader.facets()) {
    const cut = facet.indexOf(':');
    const [kind, value] = [facet.slice(0, cut), facet.slice(cut + 1)];
    for (const ordinal of ordinals) {
      const own = gathered.get(ordinal) ?? { source: '', license: undefined, suspicious: false, tags: [] };
      gathered.set(ordinal, own);
      if (kind === 'source') own.source = value;
      else if (kind === 'tag') own.tags.push(value);
      else if (kind === 'license') own.license = value;
      else if (kind === 'suspicious') own.suspicious = true;
    }
  }
  return new Map(
    Array.from(gathered, ([ordinal, own]) => [
      ordinal,
      { ...own, ids: idsOf(reader.key(ordinal), own.source) },
    ]),
  );
}
