/** Completion of skill ids and URIs, for an editor or a form. */

import type { Reader } from '../../index/reader/reader.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';

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
