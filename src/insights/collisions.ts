/**
 * Skills that shadow each other: their cards are nearly the same to the index but their contents differ, so a
 * search can hardly tell them apart. Near-identical skills do not count: they fold into one hit.
 */

import type { Reader } from '#index';
import {
  candidatesFor,
  entryAt,
  queryText,
  ranked,
  type Searchable,
  TWIN_SIMILARITY,
} from '../search/public.ts';

/**
 * Cosine from which two cards count as nearly the same, with the shipped model. Below it, siblings that differ in
 * the one word that matters begin to appear (`bench/TRIED.md`).
 */
export const NEARLY_SAME_CARD = 0.95;
/** Neighbours that each card is compared with: one vector search per skill, whatever the size of the catalog. */
const NEIGHBOURS = 16;

interface Collision {
  /** Ids, in code-unit order. */
  readonly ids: readonly [string, string];
  /** Cosine of the two cards, 0–1. */
  readonly similarity: number;
  /** The skill that comes first for either's description; null if each comes first for its own. */
  readonly shadowing: string | null;
}

export interface Collisions {
  /** Number of skills compared. */
  readonly skills: number;
  /** Pairs found. */
  readonly total: number;
  /** The most similar pairs first, at most `most`. */
  readonly pairs: readonly Collision[];
}

/** Needs vectors: without a model it finds no pair. `most` limits the pairs that are searched for and returned. */
export async function collisions(index: Searchable, most: number): Promise<Collisions> {
  const { reader } = index;
  const pairs = await nearPairs(reader);
  const shown: Collision[] = [];
  for (const { a, b, similarity } of pairs.slice(0, most)) {
    const ids = [reader.key(a), reader.key(b)].sort() as [string, string];
    shown.push({ ids, similarity, shadowing: await shadowing(index, a, b) });
  }
  return { skills: reader.documents, total: pairs.length, pairs: shown };
}

/** Skills whose cards are nearly the same as one skill's, most similar first. Needs vectors. */
export async function collisionsWith(
  { reader }: Searchable,
  ordinal: number,
): Promise<{ readonly other: string; readonly similarity: number }[]> {
  const pairs = await nearPairs(reader, Uint32Array.of(ordinal));
  return pairs.map(({ a, b, similarity }) => ({ other: reader.key(a === ordinal ? b : a), similarity }));
}

interface Pair {
  readonly a: number;
  readonly b: number;
  readonly similarity: number;
}

async function nearPairs(reader: Reader, of: Uint32Array = reader.ordinalsByKey()): Promise<Pair[]> {
  const vectors = await reader.openVectors();
  const accept = reader.accept([]);
  const pairs: Pair[] = [];
  for (const a of of) {
    const card = reader.passages.cardVector(a);
    for (const b of vectors.nearest(card, NEIGHBOURS, accept).ordinals) {
      // Each pair counts once, whichever of the two finds the other.
      if (b === a) continue;
      const similarity = dot(card, reader.passages.cardVector(b));
      if (similarity < NEARLY_SAME_CARD) continue;
      if (reader.fingerprints(Uint32Array.of(a, b)).areSimilar(0, 1, TWIN_SIMILARITY)) continue;
      pairs.push(a < b ? { a, b, similarity } : { a: b, b: a, similarity });
    }
  }
  const once = new Map(pairs.map((pair) => [`${pair.a} ${pair.b}`, pair]));
  return [...once.values()].sort((x, y) => y.similarity - x.similarity || x.a - y.a || x.b - y.b);
}

/** Searches for both descriptions. */
async function shadowing(index: Searchable, a: number, b: number): Promise<string | null> {
  const winners = [];
  for (const own of [a, b])
    winners.push(await ahead(index, queryText(entryAt(index.reader, own).description), a, b));
  return winners[0] === winners[1] ? index.reader.key(winners[0]!) : null;
}

/** Whichever of the two ranks higher for a query; a skill that is not found ranks lowest. */
async function ahead({ reader, embedder }: Searchable, query: string, a: number, b: number): Promise<number> {
  const { ordinals, features } = await candidatesFor(query, reader, embedder, reader.accept([]));
  const { order } = ranked(reader, ordinals, features);
  return order.map((at) => ordinals[at]!).find((ordinal) => ordinal === a || ordinal === b) ?? a;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}
