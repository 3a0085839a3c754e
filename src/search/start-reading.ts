/** Where to begin with one skill: the passages that match a query best, outside a search. */

import type { Evidence } from './answer.ts';
import { evidenceFor } from './evidence.ts';
import { queryText, type Searchable } from './search.ts';

/** Most passages. */
const MOST = 3;

/** Best first; empty if the skill contains no word of the query. */
export async function passagesFor(
  query: string,
  ordinal: number,
  { reader, embedder }: Pick<Searchable, 'reader' | 'embedder'>,
): Promise<Evidence[]> {
  const text = queryText(query);
  const vector = embedder === null ? null : await embedder.embedQuery(text);
  const passages = evidenceFor(reader, ordinal, reader.lexical.prepare(text), vector, MOST);
  return passages.filter(({ terms }) => terms.length > 0);
}
