/** What goes into a search and what comes out, before any wire format. */

import type { CatalogEntry } from '../catalog/entry.ts';
import type { Copy } from './copies.ts';

/** Skills that may be found; absent or empty parts do not restrict. Values of one part are alternatives. */
export interface Filter {
  readonly sources?: readonly string[];
  readonly tags?: readonly string[];
  readonly hasScripts?: boolean;
}

export interface SearchRequest {
  /** What is wanted, in the asker's words. Empty browses the catalog by id. Only the first 8,000 characters count. */
  readonly query: string;
  /** 1–50. */
  readonly limit: number;
  /** `nextCursor` of an earlier answer to the same query and filter. */
  readonly cursor?: string;
  readonly filter?: Filter;
  /** Adds `explanation` and `lead` to each hit. */
  readonly explain?: boolean;
  /** False lists near-identical skills one by one, as a measurement needs it. Default true. */
  readonly foldTwins?: boolean;
}

/** A passage that speaks for a hit, to be opened with read_reference (or load_skill for the skill file). */
export interface Evidence {
  readonly path: string;
  readonly heading: readonly string[];
  readonly lines: readonly [from: number, to: number];
  /** The most telling stretch of the passage, at most 200 characters, on one line. */
  readonly excerpt: string;
  /** Words of the query found in the passage, as the asker wrote them, in the query's order. */
  readonly terms: readonly string[];
}

/** What puts a hit before the next one. */
export interface Lead {
  /** Id of the next hit, its runner-up. */
  readonly over: string;
  /** Difference of the scores, ≥ 0. */
  readonly margin: number;
  /** The part of each feature in it, the largest first; negative where the next hit has more. Adds up to `margin`. */
  readonly by: readonly { readonly feature: string; readonly difference: number; readonly meaning: string }[];
}

export interface SearchHit {
  /** 1 for the best, counted on over the pages of one search. */
  readonly rank: number;
  readonly entry: CatalogEntry;
  /** 0–1, comparable within one answer only; higher is nearer. */
  readonly score: number;
  /** Best first; may be empty when browsing. */
  readonly evidence: readonly Evidence[];
  /** Ids of near-identical skills that were folded under this one. */
  readonly twins: readonly string[];
  /** Where else the very same skill is: those that were folded under this one. Absent where there is none. */
  readonly copies?: readonly Copy[];
  /** The part of each feature in the score. */
  readonly explanation?: Readonly<Record<string, number>>;
  /** Absent for the last hit of all, and where no explanation was asked for. */
  readonly lead?: Lead;
}

/** Which retrieval answered: a missing model is never silent. */
export interface Retrieval {
  /** `hybrid`: vectors and words; `lexical`: words alone; `browse`: no query. */
  readonly mode: 'hybrid' | 'lexical' | 'browse';
  /** How vectors were searched; `none` where the mode has no vectors. */
  readonly vectors: 'exact' | 'hnsw' | 'none';
  /** Embedder's id, or null. */
  readonly model: string | null;
  /** Why the mode is less than was asked for, in one sentence. */
  readonly note?: string;
}

export interface SearchAnswer {
  readonly query: string;
  readonly retrieval: Retrieval;
  /** Skills that could have been found: the catalog after the filter. */
  readonly searched: number;
  readonly hits: readonly SearchHit[];
  /** Present where more hits follow. */
  readonly nextCursor?: string;
  /** 0–1: estimated probability that the first hit is the right one. Null when browsing. */
  readonly confidence: number | null;
  /** 0–1: estimated probability that a skill of the catalog fits. Null when browsing. */
  readonly fit: number | null;
  /** True where no skill seems to fit: the hits are the nearest, not an answer. */
  readonly weak: boolean;
  /** Wall time in the search itself, ms. */
  readonly tookMs: number;
}
