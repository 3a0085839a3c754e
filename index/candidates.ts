/**
 * The port of retrieval: finds the documents worth ranking for a query, and reads what ranking needs of them. The files of
 * an index implement it here, a database in `remote/`; both pass one contract suite.
 */

import type { LexicalQuery, Speakers } from './lexical/query/query.ts';
import type { LexicalSearch } from './lexical/query/search.ts';
import type { PassageReader } from './reader/passages.ts';
import type { Reader } from './reader/reader.ts';
import type { VectorIndex } from './vectors/exact.ts';

/** What was asked. */
export interface CandidateQuery {
  readonly text: string;
  /** Language whose stems its words have besides the English terms, its stemmer loaded; null for English alone. */
  readonly language: string | null;
  /** Documents in its language, where that is not the language of most; absent: by rarity among all. */
  readonly speakers?: Speakers | null;
  /** `Float32Array[d]`, unit length; null where words alone are searched. */
  readonly vector: Float32Array | null;
}

/** Signals and texts of documents, by ordinal. */
export interface DocumentReader {
  readonly lexical: Pick<LexicalSearch, 'signals' | 'identifierShares' | 'termFields'>;
  readonly passages: Pick<
    PassageReader,
    'cosines' | 'cardCosines' | 'bestBodyCosines' | 'weights' | 'terms' | 'bestCoverage' | 'get'
  >;
  /** Reads texts, so that `passages.get` has them. Absent where it has all of them. */
  readonly readPassages?: (
    wanted: readonly { readonly ordinal: number; readonly at: number }[],
  ) => Promise<void>;
}

export interface LookedAt {
  readonly words: LexicalQuery;
  /** Reads the documents that were asked for; others may be missing. */
  readonly documents: DocumentReader;
}

interface FoundCandidates extends LookedAt {
  /** Ascending: the best by words, and those whose summary vectors are nearest. */
  readonly ordinals: Uint32Array;
  readonly vectors: VectorIndex['kind'] | 'none';
  /** Why vectors were not searched as configured; null if they were. */
  readonly fallback: string | null;
}

export interface CandidateIndex {
  /** Share of the depth in large catalogs that is worth its price, 0–1. Absent: all of it. */
  readonly depthShare?: number;
  /**
   * The best `depth` documents of each retrieval among those that `accept` marks (`Uint8Array[documents]` of 0 and 1, as
   * `Reader.accept` gives it: do not write to it).
   */
  find(query: CandidateQuery, depth: number, accept: Uint8Array): Promise<FoundCandidates>;
  /** Reads these documents for a query, whether or not they would be found. */
  lookAt(query: CandidateQuery, ordinals: Uint32Array): Promise<LookedAt>;
}

/** Candidates from the files of an open index. */
export const candidatesIn = (reader: Reader): CandidateIndex => ({
  async find({ text, language, speakers, vector }, depth, accept) {
    const words = reader.lexical.prepare(text, language, speakers);
    const byWords = reader.lexical.match(words, depth, accept).ordinals;
    if (vector === null)
      return { words, ordinals: byWords.sort(), vectors: 'none', fallback: null, documents: reader };
    const index = await reader.vectorsForSearch();
    const byMeaning = index.nearest(vector, depth, accept).ordinals;
    const { kind: vectors, fallback } = index;
    return { words, ordinals: union(byWords, byMeaning), vectors, fallback, documents: reader };
  },
  async lookAt({ text, language, speakers }) {
    return { words: reader.lexical.prepare(text, language, speakers), documents: reader };
  },
});

/** The union of both, ascending. */
export function union(a: Uint32Array, b: Uint32Array): Uint32Array {
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
