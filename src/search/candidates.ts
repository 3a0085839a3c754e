/** Retrieval: the skills worth ranking for a query, with their features. */

import { findCandidates } from '../../index/candidates.ts';
import type { Embedder } from '../../index/embedder.ts';
import { isMostlyUnspaced, type LexicalQuery } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { VectorIndex } from '../../index/vectors/exact.ts';
import { withCards } from './cards.ts';
import { codeShares } from './codes.ts';
import { type Features, featuresFrom } from './features.ts';
import { type ForeignLanguage, languageOfQuery, speakersOf } from './language.ts';
import { rankingSignalsOf } from './rerank.ts';
import { type Correction, respelled } from './spelling.ts';

const NO_WORDS: readonly string[] = [];

/** Longer queries are cut, in characters: a page of text is enough to say what is needed. */
const MAX_QUERY = 8_000;

const HALF_WIDTH_KANA = /[\uff61-\uff9f]+/g;

/** The query as it is searched: on one line, cut, well-formed, with composed characters. */
export const queryText = (text: string) =>
  text
    .normalize('NFC')
    .replace(HALF_WIDTH_KANA, (kana) => kana.normalize('NFKC'))
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_QUERY)
    .toWellFormed();

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
  /** Share of the query's codes of each; see `codes.ts`. In order of the ordinals. */
  readonly codes: Float32Array;
  /** BM25F of each, ≥ 0, as the index gives it. In order of the ordinals. */
  readonly bm25f: Float32Array;
  /** Cosine of query and card of each, −1 to 1; 0 without vectors. In order of the ordinals. */
  readonly card: Float32Array;
  readonly words: LexicalQuery;
  /** Words of the query that are searched in another spelling. */
  readonly corrections: readonly Correction[];
  /** Language whose stems the words have in addition to the English terms; null for English alone. */
  readonly language: string | null;
  /** Whether the query is in a language that some skills are in, but not most. */
  readonly isMinority: boolean;
  /** Whether its words are mostly Chinese, Japanese or Korean, and the model knows only English ones. */
  readonly isUnspaced: boolean;
  /** The query's language, if few skills are in it; see `judgeFit` in `confidence.ts`. */
  readonly foreign: ForeignLanguage | null;
  /** Null if only words were searched: no model, or the model knows no word of the query. */
  readonly vector: Float32Array | null;
  readonly vectors: VectorIndex['kind'] | 'none';
  /** Why vectors were not searched as configured; null if they were. */
  readonly fallback: string | null;
}

/** `accept` marks the documents that may be found: `Uint8Array[documents]` of 0 and 1. `depth`: how many of each retrieval. */
export async function candidatesFor(
  query: string,
  reader: Reader,
  embedder: Embedder | null,
  accept: Uint8Array,
  depth = depthFor(reader.documents),
): Promise<Candidates> {
  const { spoken, stems, foreign } = await languageOfQuery(query, reader, embedder?.multilingual === true);
  const { text, corrections } = await respelled(query, {
    lexical: reader.lexical,
    spoken,
    stems,
    documents: reader.documents,
    words: () => embedder?.words?.() ?? NO_WORDS,
  });
  const embedded = embedder === null ? null : await embedder.embedQuery(text);
  const vector = embedded?.some((value) => value !== 0) ? embedded : null;
  const speakers = speakersOf(stems, reader);
  const { words, ordinals, vectors, fallback } = await findCandidates(
    reader,
    { text, language: stems, speakers, vector },
    depth,
    accept,
  );
  const signals = rankingSignalsOf(reader, ordinals, words, vector);
  const codes = codeShares(words, signals.byTerm, ordinals, reader);
  return {
    searched: reader.documentsIn(accept),
    ordinals,
    features: withCards(featuresFrom(signals), words, signals.byTerm, ordinals, reader),
    codes,
    bm25f: signals.bm25f,
    card: signals.card,
    words,
    corrections,
    isMinority: speakers !== null,
    isUnspaced: embedder?.multilingual !== true && isMostlyUnspaced(words),
    foreign,
    vector,
    vectors,
    fallback,
    language: stems,
  };
}
