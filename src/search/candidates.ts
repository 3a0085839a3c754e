/** Retrieval: the skills worth ranking for a query, with what is known of each. */

import type { Embedder, LexicalQuery, Reader, VectorIndex } from '#index';
import { type Features, featuresFrom } from './features.ts';
import { signalsOf } from './rerank.ts';

/**
 * Candidates that each of the two retrievals contributes to a search of so many skills. 40, 48 and 64 give the same
 * Hit@1 and nDCG@10 on 24,849 skills (`bench/README.md`); in larger catalogs more near copies of the best crowd the first
 * places.
 */
export const depthFor = (documents: number) => Math.max(40, Math.ceil(0.25 * Math.sqrt(documents)));

export interface Candidates {
  /** How many skills they were chosen from. */
  readonly searched: number;
  /** Ascending. */
  readonly ordinals: Uint32Array;
  /** In order of the ordinals. */
  readonly features: Features;
  /** BM25F of each, ≥ 0, not held against the others'. In order of the ordinals. */
  readonly bm25f: Float32Array;
  readonly words: LexicalQuery;
  /** Null where words alone were searched: no model, or no word of the query that it knows. */
  readonly vector: Float32Array | null;
  readonly vectors: VectorIndex['kind'] | 'none';
  /** Why vectors were searched otherwise than asked for; null where all is as wanted. */
  readonly fallback: string | null;
}

/** `accept` marks the documents that may be found. */
export async function candidatesFor(
  query: string,
  reader: Reader,
  embedder: Embedder | null,
  accept: Uint8Array,
): Promise<Candidates> {
  const depth = depthFor(reader.documents);
  const words = reader.lexical.prepare(query);
  const byWords = reader.lexical.match(words, depth, accept).ordinals;
  const embedded = embedder === null ? null : await embedder.embedQuery(query);
  const vector = embedded?.some((value) => value !== 0) ? embedded : null;
  const searched = reader.documentsIn(accept);
  if (vector === null)
    return {
      searched,
      ...known(reader, byWords.sort(), words, null),
      words,
      vector,
      vectors: 'none',
      fallback: null,
    };
  const index = await reader.vectorsForSearch();
  const byMeaning = index.nearest(vector, depth, accept).ordinals;
  return {
    searched,
    ...known(reader, union(byWords, byMeaning), words, vector),
    words,
    vector,
    vectors: index.kind,
    fallback: index.fallback,
  };
}

function known(reader: Reader, ordinals: Uint32Array, words: LexicalQuery, vector: Float32Array | null) {
  const signals = signalsOf(reader, ordinals, words, vector);
  return { ordinals, features: featuresFrom(signals), bm25f: signals.bm25f };
}

/** What is in either, once each, ascending. */
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
