/** The policy's subject of each skill in a snapshot. Built from facets in memory; no entry is read from disk. */

import type { Reader } from '../../../index/reader/reader.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { idsOf, type Subject } from './choice.ts';

interface Draft {
  source: string;
  suspicious: boolean;
  readonly tags: string[];
}

const cache = new WeakMap<Reader, ReadonlyMap<number, Subject>>();

/** Of every live document of the snapshot, by ordinal. */
export function subjectsOf(reader: Reader): ReadonlyMap<number, Subject> {
  const subjects = cache.get(reader) ?? readSubjects(reader);
  cache.set(reader, subjects);
  return subjects;
}

export function subjectOf({ id, source, tags, marks }: CatalogEntry): Subject {
  return {
    ids: idsOf(id, source),
    source,
    tags: tags.map((tag) => tag.toLowerCase()),
    suspicious: marks !== undefined,
  };
}

function readSubjects(reader: Reader): ReadonlyMap<number, Subject> {
  const drafts = new Map<number, Draft>();
  for (const { facet, ordinals } of reader.facets()) {
    const cut = facet.indexOf(':');
    const [kind, value] = [facet.slice(0, cut), facet.slice(cut + 1)];
    for (const ordinal of ordinals) {
      const own = drafts.get(ordinal) ?? { source: '', suspicious: false, tags: [] };
      drafts.set(ordinal, own);
      if (kind === 'source') own.source = value;
      else if (kind === 'tag') own.tags.push(value);
      else if (kind === 'suspicious') own.suspicious = true;
    }
  }
  return new Map(
    Array.from(drafts, ([ordinal, own]) => [
      ordinal,
      { ...own, ids: idsOf(reader.key(ordinal), own.source) },
    ]),
  );
}
