/** Where to begin with one skill: the passages that match a query best, outside a search. */

import { candidatesIn } from '../../index/candidates.ts';
import type { Evidence } from './answer.ts';
import { evidenceFor, readEvidence } from './evidence.ts';
import { languageOfQuery, speakersOf } from './language.ts';
import { queryText, type Searchable } from './search.ts';

/** Most passages. */
const MOST = 3;

/** Best first; empty if the skill contains no word of the query. */
export async function passagesFor(
  query: string,
  ordinal: number,
  { reader, embedder, candidatesOf = candidatesIn }: Pick<Searchable, 'reader' | 'embedder' | 'candidatesOf'>,
): Promise<Evidence[]> {
  const text = queryText(query);
  const { stems } = await languageOfQuery(text, reader);
  const vector = embedder === null ? null : await embedder.embedQuery(text);
  const asked = { text, language: stems, speakers: speakersOf(stems, reader), vector };
  const { words, documents } = await candidatesOf(reader).lookAt(asked, Uint32Array.of(ordinal));
  await readEvidence(documents, words, vector, [{ ordinal, most: MOST }]);
  const passages = evidenceFor(documents, ordinal, words, vector, MOST);
  return passages.filter(({ terms }) => terms.length > 0);
}
