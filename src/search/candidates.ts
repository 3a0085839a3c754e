/** Retrieval: the skills worth ranking for a query, with their features. */

import type { Embedder, LexicalQuery, Reader, VectorIndex } from '#index';
import { type Features, featuresFrom } from './features.ts';
import { type ForeignLanguage, languageOfQuery } from './language.ts';
import { rankingSignalsOf } from './rerank.ts';

/**
 * Candidates from each of the two retrievals, for a catalog of this size. Larger catalogs hold more near copies of
 * the best skill, which fill the first ranks. Half the depth ranks as well as twice the depth (`bench/TRIED.md`).
 */
export const depthFor = (documents: number) => Math.max(40, Math.ceil(0.25 * Math.sqrt(documents)));

export interface Candidates {
  /** Number of skills that could have been candidates. */
  readonly searched: number;
  /** Ascending. */
  readonly ordinals: Uint32Array;
  /** In order of the ordinals. */
  readonly features: Features;
  /** BM25F of each, ≥ 0, as the index gives it. In order of the ordinals. */
  readonly bm25f: Float32Array;
  /** Cosine of query and card of each, −1 to 1; 0 without vectors. In order of the ordinals. */
  readonly card: Float32Array;
  readonly words: LexicalQuery;
  /** The query's language, if the catalog hardly has it. */
  readonly foreign: ForeignLanguage | null;
  /** Null if only words were searched: no model, or the model knows no word of the query. */
  readonly vector: Float32Array | null;
  readonly vectors: VectorIndex['kind'] | 'none';
  /** Why vectors were not searched as configured; null if they were. */
  readonly fallback: string | null;
}

/** `accept` marks the documents that may be found: `Uint8Array[documents]` of 0 and 1. */
export async function candidatesFor(
  query: string,
  reader: Reader,
  embedder: Embedder | null,
  accept: Uint8Array,
): Promise<Candidates> {
  const depth = depthFor(reader.documents);
  const { stems, foreign } = await languageOfQuery(query, reader, embedder?.multilingual === true);
  const words = reader.lexical.prepare(query, stems);
  const byWords = reader.lexical.match(words, depth, accept).ordinals;
  const embedded = embedder === null ? null : await embedder.embedQuery(query);
  const vector = embedded?.some((value) => value !== 0) ? embedded : null;
  const searched = reader.documentsIn(accept);
  if (vector === null)
    return {
      searched,
      ...known(reader, byWords.sort(), words, null),
      words,
      foreign,
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
    foreign,
    vector,
    vectors: index.kind,
    fallback: index.fallback,
  };
}

function known(reader: Reader, ordinals: Uint32Array, words: LexicalQuery, vector: Float32Array | null) {
  const signals = rankingSignalsOf(reader, ordinals, words, vector);
  return { ordinals, features: featuresFrom(signals), bm25f: signals.bm25f, card: signals.card };
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
