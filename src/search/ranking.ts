/**
 * Candidates → one ranking, and its groups of copies: the part of the pipeline that `search` and `why` share. Finding is
 * `candidates.ts`, judging `confidence.ts`, evidence `evidence.ts`.
 */

import type { Reader } from '../../index/reader/reader.ts';
import type { Candidates } from './candidates.ts';
import {
  type Copies,
  collapse,
  type Precedence,
  precedenceOf,
  preferBetterMaintained,
  type Similarity,
  separateCopies,
  similarityOf,
} from './copies.ts';
import { type Learning, partsOf, type SearchedQuery, withLearned } from './learned.ts';
import { type Ranked, ranked } from './rank.ts';

/** Anyone writes requests into a skill: they say a little less than what it was loaded for (`npm run bench -- requests`). */
export const WRITTEN = 0.9;

/**
 * How similar the query is to what each document answers, from 0 (`Float32Array[ordinals.length]`): to the requests that it carries,
 * and to those that it was loaded for. Null if none of them has any. Depends on nothing but these documents.
 */
export async function similarRequests(
  query: SearchedQuery,
  { reader, learned }: { readonly reader: Reader; readonly learned?: Pick<Learning, 'of'> },
  ordinals: Uint32Array,
): Promise<Float32Array | null> {
  const loaded = (await learned?.of(query, reader, ordinals)) ?? null;
  const written = query.vector === null ? null : reader.passages.requestCosines(query.vector, ordinals);
  if (written === null) return loaded;
  return written.map((cosine, at) => Math.max(WRITTEN * cosine, loaded?.[at] ?? 0));
}

/** What a ranking is computed from; columns in the order of the ordinals. */
export type Rankable = Pick<Candidates, 'ordinals' | 'features' | 'card' | 'vector'>;

export interface Ranking extends Ranked {
  /** Without requests: they make no skill fit. */
  readonly unlearned: Ranked;
  /** What requests add to each score; null if nothing. */
  readonly learned: Float32Array | null;
  readonly similarity: Similarity;
}

/** `similar`: of `similarRequests`. */
export function rankCandidates(
  reader: Reader,
  { ordinals, features, card, vector }: Rankable,
  similar: Float32Array | null,
): Ranking {
  const unlearned = ranked(reader, ordinals, features);
  const learned = similar === null ? null : partsOf(similar, card, unlearned, vector !== null);
  const sorted = learned === null ? unlearned : withLearned(reader, ordinals, unlearned, learned);
  return { ...sorted, unlearned, learned, similarity: similarityOf(reader, ordinals, unlearned.scores) };
}

interface Folding {
  /** False keeps near-identical skills apart. Default true. */
  readonly foldTwins?: boolean | undefined;
  /** Groups before this place are not returned. Default 0. */
  readonly from?: number;
  /** Groups from this place on are not made. Default: all are made. */
  readonly to?: number;
  readonly precedence?: Precedence | undefined;
}

/** The groups of copies at these places, best first, each with the skill to show; `more`: whether others follow. */
export function foldCopies(
  { order, scores, similarity }: Ranking,
  { foldTwins = true, from = 0, to = Number.POSITIVE_INFINITY, precedence }: Folding,
): { readonly groups: readonly Copies[]; readonly more: boolean } {
  const { identical, areTwins, areTranslations } = similarity;
  const { folded, more } = collapse(
    order,
    to,
    (a, b) => foldTwins && areTwins(a, b),
    (a, b) => foldTwins && areTranslations(a, b),
  );
  const groups = folded.slice(from).map((group) =>
    separateCopies(
      preferBetterMaintained(group, scores, identical, areTwins),
      (a, b) => identical.areIdentical(a, b),
      (at) => precedenceOf(precedence, identical.entry(at)),
    ),
  );
  return { groups, more };
}
