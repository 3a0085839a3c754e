/** Texts of others in messages: cut, quoted, compared. How texts look in answers and terminals is `mcp/text.ts` and `cli/output.ts`. */

import { distance } from 'fastest-levenshtein';

/** Characters of a name that a message shows, and that are compared: input may be arbitrarily long. */
const SHOWN = 120;
const COMPARED = 200;

/** At most `length` UTF-16 units; a cut text ends with `…`. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** As JSON, cut. */
export const quoted = (text: string): string => JSON.stringify(cut(text, SHOWN));

interface Closest {
  /** Most items. */
  readonly most?: number;
  /** Most edits. */
  readonly within?: number;
}

/** The items whose text is within so many edits (Levenshtein) of `wanted`, nearest first, then in their order. */
export function closest<T>(
  wanted: string,
  items: readonly T[],
  textOf: (item: T) => string,
  { most = Number.POSITIVE_INFINITY, within = Number.POSITIVE_INFINITY }: Closest = {},
): T[] {
  const start = wanted.slice(0, COMPARED);
  return items
    .map((item) => ({ item, edits: distance(start, textOf(item).slice(0, COMPARED)) }))
    .filter(({ edits }) => edits <= within)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, most)
    .map(({ item }) => item);
}
