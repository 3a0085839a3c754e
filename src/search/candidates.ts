/** Retrieval: the skills worth ranking for a query, with their features. */

import { type CandidateIndex, candidatesIn, type DocumentReader } from '../../index/candidates.ts';
import type { Embedder } from '../../index/embedder.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { VectorIndex } from '../../index/vectors/exact.ts';
import { withCards } from './cards.ts';
import { type Features, featuresFrom } from './features.ts';
import { type ForeignLanguage, languageOfQuery, speakersOf } from './language.ts';
import { rankingSignalsOf } from './rerank.ts';

/** Longer queries are cut, in characters: a page of text is enough to say what is needed. */
export const MAX_QUERY = 8_000;

/** The query as it is searched: on one line, cut, and well-formed. */
export const queryText = (text: string) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_QUERY)
    .toWellFormed();

/**
 * Candidates from each of the two retrievals, for a catalog of this size. Larger catalogs hold more near copies of
 * the best skill, which fill the first ranks. Half the depth ranks as well as twice the depth (`bench/TRIED.md`). `share`: of
 * the depth that grows with the catalog.
 */
export const depthFor = (documents: number, share = 1) =>
  Math.max(40, Math.ceil(0.25 * share * Math.sqrt(documents)));

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
  /** Reads the candidates. */
  readonly documents: DocumentReader;
  /** Language whose stems the words have besides the English terms; null for English alone. */
  readonly language: string | null;
  /** Whether the query is in a language that some skills are in, but not most. */
  readonly isMinority: boolean;
  /** The query's language, if the catalog hardly has it; see `foreignTo` in `confidence.ts`. */
  readonly foreign: ForeignLanguage | null;
  /** Null if only words were searched: no model, or the model knows no word of the query. */
  readonly vector: Float32Array | null;
  readonly vectors: VectorIndex['kind'] | 'none';
  /** Why vectors were not searched as configured; null if they were. */
  readonly fallback: string | null;
}

/**
 * `accept` marks the documents that may be found: `Uint8Array[documents]` of 0 and 1. `index` finds them: the files of the
 * reader, or a database.
 */
export async function candidatesFor(
  query: string,
  reader: Reader,
  embedder: Embedder | null,
  accept: Uint8Array,
  index: CandidateIndex = candidatesIn(reader),
): Promise<Candidates> {
  const { stems: language, foreign } = await languageOfQuery(query, reader, embedder?.multilingual === true);
  const embedded = embedder === null ? null : await embedder.embedQuery(query);
  const vector = embedded?.some((value) => value !== 0) ? embedded : null;
  const speakers = speakersOf(language, reader);
  const { words, documents, ordinals, vectors, fallback } = await index.find(
    { text: query, language, speakers, vector },
    depthFor(reader.documents, index.depthShare),
    accept,
  );
  const signals = rankingSignalsOf(documents, ordinals, words, vector);
  return {
    searched: reader.documentsIn(accept),
    ordinals,
    features: withCards(featuresFrom(signals), words, signals.byTerm, ordinals, reader),
    bm25f: signals.bm25f,
    card: signals.card,
    words,
    isMinority: speakers !== null,
    foreign,
    vector,
    vectors,
    fallback,
    documents,
    language,
  };
}
