/** Retrieval: finds the documents worth ranking for a query, by words and by meaning. */

import type { LexicalQuery, Speakers } from './lexical/query/query.ts';
import type { Reader } from './reader/reader.ts';
import type { VectorIndex } from './vectors/exact.ts';

/** What was asked. */
export interface CandidateQuery {
  readonly text: string;
  /** Language whose stems its words have in addition to the English terms, its stemmer loaded; null for English alone. */
  readonly language: string | null;
  /** Documents in its language, where that is not the language of most; absent: by rarity among all. */
  readonly speakers?: Speakers | null;
  /** `Float32Array[d]`, unit length; null where words alone are searched. */
  readonly vector: Float32Array | null;
}

interface FoundCandidates {
  readonly words: LexicalQuery;
  /** Ascending: the best by words, and those whose summary vectors are nearest. */
  readonly ordinals: Uint32Array;
  readonly vectors: VectorIndex['kind'] | 'none';
  /** Why vectors were not searched as configured; null if they were. */
  readonly fallback: string | null;
}

/**
 * The best `depth` documents of each retrieval among those that `accept` marks (`Uint8Array[documents]` of 0 and 1, as
 * `Reader.accept` gives it: do not write to it).
 */
export async function findCandidates(
  reader: Reader,
  { text, language, speakers, vector }: CandidateQuery,
  depth: number,
  accept: Uint8Array,
): Promise<FoundCandidates> {
  const words = reader.lexical.prepare(text, language, speakers);
  const byWords = reader.lexical.match(words, depth, accept).ordinals;
  if (vector === null) return { words, ordinals: byWords.sort(), vectors: 'none', fallback: null };
  const index = await reader.vectorsForSearch();
  const byMeaning = index.nearest(vector, depth, accept).ordinals;
  const { kind: vectors, fallback } = index;
  return { words, ordinals: union(byWords, byMeaning), vectors, fallback };
}

/** The union of both, ascending. */
function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const all = new Uint32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  all.sort();
  let count = 0;
  for (let at = 0; at < all.length; at += 1)
    if (at === 0 || all[at] !== all[count - 1]) {
      all[count] = all[at]!;
      count += 1;
    }
  return all.subarray(0, count);
}
