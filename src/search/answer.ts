/** Requests and answers of a search, independent of any wire format, and the cursor from one page to the next. */

import { hash } from 'node:crypto';
import { CodedError } from '../base/errors.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Copy } from './copies.ts';
import type { ForeignLanguage } from './language.ts';

/**
 * Restricts which skills can be found. Absent or empty fields do not restrict; values of one field are
 * alternatives.
 */
export interface Filter {
  readonly sources?: readonly string[];
  readonly tags?: readonly string[];
  readonly hasScripts?: boolean;
  /** Leaves out the skills that their authors keep from models, or from people. */
  readonly audience?: 'models' | 'people';
  /** Names of tools that a skill's author says it needs; case is ignored. */
  readonly tools?: readonly string[];
}

export interface SearchRequest {
  /** The caller's own words. An empty query lists the catalog by id. Only the first 8,000 characters count. */
  readonly query: string;
  /** 1–50. */
  readonly limit: number;
  /** How many skills behind the page to name, in `also`. Default 0. */
  readonly also?: number;
  /** `nextCursor` of an earlier answer to the same query and filter. */
  readonly cursor?: string;
  readonly filter?: Filter;
  /** Adds `explanation` and `lead` to each hit. */
  readonly explain?: boolean;
  /** False names the best passage of each hit without an excerpt, which takes most of the time of evidence. Default true. */
  readonly excerpts?: boolean;
  /** False lists near-identical skills one by one, for measurements. Default true. */
  readonly foldTwins?: boolean;
}

/** A passage that supports a hit. It can be opened with read_reference (or load_skill for the skill file). */
export interface Evidence {
  readonly path: string;
  readonly heading: readonly string[];
  readonly lines: readonly [from: number, to: number];
  /** The most relevant part of the passage, at most 200 characters, on one line. Empty if not asked for. */
  readonly excerpt: string;
  /** Words of the query found in the passage, spelled as in the query, in its order. */
  readonly terms: readonly string[];
}

/** Why a hit ranks before the next one. */
export interface Lead {
  /** Id of the next hit, its runner-up. */
  readonly over: string;
  /** Difference of the scores, ≥ 0. */
  readonly margin: number;
  /**
   * What each feature contributes to the margin, the largest first; negative where the next hit has more. Sums to
   * `margin`.
   */
  readonly by: readonly { readonly feature: string; readonly difference: number; readonly meaning: string }[];
}

export interface SearchHit {
  /** From 1 for the best; continues over the pages of one search. */
  readonly rank: number;
  readonly entry: CatalogEntry;
  /** 0–1, higher is better; comparable within one answer only. */
  readonly score: number;
  /** Best first; may be empty without a query. */
  readonly evidence: readonly Evidence[];
  /** The nearest of the requests that the skill carries, where it raises the score. */
  readonly asked?: string;
  /** Ids of near-identical skills and translations that were folded under this one. */
  readonly twins: readonly string[];
  /** Identical skills elsewhere that were folded under this one. Absent if there are none. */
  readonly copies?: readonly Copy[];
  /** What each feature contributes to the score. */
  readonly explanation?: Readonly<Record<string, number>>;
  /** Absent for the last hit of all, and without `explain`. */
  readonly lead?: Lead;
}

/** How the answer was retrieved, so that a missing model is visible. */
export interface Retrieval {
  /** `hybrid`: vectors and words; `lexical`: words alone; `browse`: no query. */
  readonly mode: 'hybrid' | 'lexical' | 'browse';
  /** How vectors were searched; `none` if the mode uses no vectors. */
  readonly vectors: 'exact' | 'hnsw' | 'none';
  /** Embedder's id, or null. */
  readonly model: string | null;
  /** Which words were searched in another spelling, and why the mode is less than configured; a sentence for each. */
  readonly note?: string;
}

/** A word of a query, as it is searched. */
export interface QueryWord {
  /** Its stem. */
  readonly term: string;
  /** How much it says, > 0: rare words weigh more. */
  readonly weight: number;
}

export interface SearchAnswer {
  readonly query: string;
  /** Distinct words of the query that are searched; empty without a query. */
  readonly words: readonly QueryWord[];
  readonly retrieval: Retrieval;
  /** Number of skills that pass the filter. */
  readonly searched: number;
  readonly hits: readonly SearchHit[];
  /** The skills behind the page, best first: as many as were asked for, or all that follow. Absent if there are none. */
  readonly also?: readonly { readonly entry: Pick<CatalogEntry, 'id'> }[];
  /** Present if more hits follow. */
  readonly nextCursor?: string;
  /** 0–1: estimated probability that the first hit is the right one. Null without a query. */
  readonly confidence: number | null;
  /** 0–1: estimated probability that some skill of the catalog fits. Null without a query. */
  readonly fit: number | null;
  /** True if the verdict is `none`: the hits are the nearest skills, not an answer. */
  readonly weak: boolean;
  /** The query’s language, if few skills are in it and none fits. */
  readonly foreign?: ForeignLanguage;
  /** Words of the query that no skill mentions, where nothing fits: `CVE-2021-44228`, `sourdough`. */
  readonly unknown?: readonly string[];
  /** Wall time of the search itself, ms. */
  readonly tookMs: number;
}

/** Short, because every answer shows it to a model. */
const FORM = /^([1-9]\d{0,9})-([0-9a-f]{8})$/;

/**
 * - `CURSOR_INVALID`: the text is not a cursor.
 * - `CURSOR_MISMATCH`: the cursor belongs to another query or filter.
 */
type CursorErrorCode = 'CURSOR_INVALID' | 'CURSOR_MISMATCH';

/** The cursor does not continue this search. */
export class CursorError extends CodedError<CursorErrorCode> {
  override readonly name = 'CursorError';
}

/** `identity` identifies the search: its query and filter. */
export function encodeCursor(offset: number, identity: unknown): string {
  return `${offset}-${fingerprint(identity)}`;
}

/** Offset of the page's first hit, from 0; 0 without a cursor. Throws `CursorError`. */
export function decodeCursor(cursor: string | undefined, identity: unknown): number {
  if (cursor === undefined) return 0;
  const [, offset, of] = FORM.exec(cursor) ?? [];
  if (offset === undefined)
    throw new CursorError(
      'CURSOR_INVALID',
      'The cursor is not one of skillgate’s: pass next_cursor unchanged, or leave it out to start over.',
    );
  if (of !== fingerprint(identity))
    throw new CursorError(
      'CURSOR_MISMATCH',
      'The cursor belongs to another query or filter: repeat those, or leave the cursor out.',
    );
  return Number(offset);
}

const fingerprint = (identity: unknown) => hash('sha256', JSON.stringify(identity)).slice(0, 8);
