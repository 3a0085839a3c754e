/**
 * Why a skill stands where it stands for a query, and what would change that: its features beside the winners', the
 * words it lacks, and the ranks that other descriptions would give it, each measured.
 */

import { type Field, type LexicalQuery, type Reader, wordsOf } from '#index';
import type { Evidence, Lead, Retrieval } from './answer.ts';
import { candidatesFor } from './candidates.ts';
import { evidenceFor } from './evidence.ts';
import { partsOf } from './rank.ts';
import { rewording } from './reword.ts';
import { entryAt, queryText, retrievalOf, type Searchable } from './search.ts';
import { separation } from './separation.ts';
import { Arena, type Standing } from './standing.ts';
import { fieldsOf, type Suggestion, suggestions } from './suggest.ts';

/** Hits of the first page, unless asked otherwise: the default of a search. */
const PAGE = 5;
/** Most words of the set that is put together from those that help. */
const MOST_WORDS = 4;
/** Helpful words that are tried together. */
const TRIED_TOGETHER = 6;

export interface Rival {
  readonly rank: number;
  readonly id: string;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  /** Cosine of its card and the skill's, null without vectors. */
  readonly cardSimilarity: number | null;
}

export interface TriedWord extends Suggestion {
  /** Where the skill would stand with the word at the end of its description. */
  readonly rank: number;
  readonly score: number;
}

export interface WhyAnswer {
  readonly query: string;
  readonly id: string;
  readonly retrieval: Retrieval;
  /** From 1. Where the search does not reach the skill, among all skills scored alike. */
  readonly rank: number;
  readonly searched: number;
  /** False where the skill is neither among the nearest by words nor by meaning, so that no page shows it. */
  readonly reached: boolean;
  /** Id of the near-identical skill that takes its place in an answer, or null. */
  readonly foldedUnder: string | null;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  /** The first three, and the last of the first page where the skill stands below it; never the skill itself. */
  readonly rivals: readonly Rival[];
  /** What rank 1, and the last place of the first page, have over the skill; absent where it stands there. */
  readonly behind: readonly (Lead & { readonly rank: number; readonly id: string })[];
  /** Words of the query in its order, with their share of its weight (0–1) and the fields that hold each. */
  readonly words: readonly {
    readonly word: string;
    readonly weight: number;
    readonly heldBy: readonly Field[];
  }[];
  /** The passage that speaks best for it. */
  readonly passage: Evidence | null;
  /** Words that were tried, those that help most first; empty where the skill is first already. */
  readonly tried: readonly TriedWord[];
  /** The best small set of them; null where nothing that was tried gives a better rank. */
  readonly best: { readonly words: readonly string[]; readonly rank: number; readonly score: number } | null;
}

export interface WhyRequest {
  readonly query: string;
  /** Ordinal of the skill, which must be one that `accept` lets through. */
  readonly ordinal: number;
  /** Marks the documents that may be found. */
  readonly accept: Uint8Array;
  /** Hits of the first page. Default 5. */
  readonly page?: number;
}

export async function why(request: WhyRequest, index: Searchable): Promise<WhyAnswer> {
  const { ordinal, accept, page = PAGE } = request;
  const { reader, embedder } = index;
  const query = queryText(request.query);
  const candidates = await candidatesFor(query, reader, embedder, accept);
  const { words, vector } = candidates;
  const arena = await Arena.open(reader, candidates, accept, ordinal);
  const standing = arena.now();
  const entry = entryAt(reader, ordinal);
  const top = standing.leaders.filter((leader) => standing.ordinals[leader] !== ordinal);
  const winners = top.slice(0, page).map((leader) => entryAt(reader, standing.ordinals[leader]!).description);
  const trials = rewording({ reader, embedder, words, vector, ordinal, entry });
  const measure = async (sets: readonly (readonly string[])[]) => {
    const made = await trials.of(sets.map((set) => withWords(entry.description, set)));
    return made.map((trial) => arena.with(trial));
  };
  const improvable = standing.rank > 1 || standing.foldedUnder !== null;
  const tried = improvable ? await tryEach(suggestions(reader, words, ordinal, winners), measure) : [];
  return {
    query,
    id: entry.id,
    retrieval: retrievalOf(candidates, index),
    rank: standing.rank,
    searched: reader.documentsIn(accept),
    reached: standing.reached,
    foldedUnder: standing.foldedUnder === null ? null : reader.key(standing.foldedUnder),
    score: standing.score,
    parts: partsOf(standing.features, standing.at),
    rivals: rivalsOf(reader, standing, ordinal, page, vector !== null),
    behind: behindOf(reader, standing, page),
    words: queryWords(reader, words, ordinal),
    passage: evidenceFor(reader, ordinal, words, vector, 1)[0] ?? null,
    tried,
    best: await bestSet(tried, standing, measure),
  };
}

/** The description with words at its end. */
export function withWords(description: string, words: readonly string[]): string {
  const text = description.trimEnd();
  const end = text === '' || /[.!?。！？]$/u.test(text) ? '' : '.';
  return `${text}${end} ${words.join(', ')}.`.trimStart();
}

type Measure = (sets: readonly (readonly string[])[]) => Promise<Standing[]>;

async function tryEach(words: readonly Suggestion[], measure: Measure): Promise<TriedWord[]> {
  const standings = await measure(words.map(({ word }) => [word]));
  return words
    .map((word, at) => ({ ...word, rank: standings[at]!.rank, score: standings[at]!.score }))
    .sort(byRank);
}

/** Greedy: the best word, then the word that adds most to it. The smallest of the sets with the best rank. */
async function bestSet(
  tried: readonly TriedWord[],
  now: Standing,
  measure: Measure,
): Promise<WhyAnswer['best']> {
  const pool = tried.slice(0, TRIED_TOGETHER).map(({ word }) => word);
  let best: NonNullable<WhyAnswer['best']> = { words: [], rank: now.rank, score: now.score };
  for (let set: readonly string[] = []; set.length < MOST_WORDS && best.rank > 1; ) {
    const sets = pool.filter((word) => !set.includes(word)).map((word) => [...set, word]);
    const standings = await measure(sets);
    const [next] = sets
      .map((words, at) => ({ words, rank: standings[at]!.rank, score: standings[at]!.score }))
      .sort(byRank);
    if (next === undefined) break;
    if (next.rank < best.rank) best = next;
    set = next.words;
  }
  return best.rank < now.rank ? best : null;
}

const byRank = (a: { rank: number; score: number }, b: { rank: number; score: number }) =>
  a.rank - b.rank || b.score - a.score;

function rivalsOf(
  reader: Reader,
  { leaders, ordinals, features, rank: own }: Standing,
  ordinal: number,
  page: number,
  hasVectors: boolean,
): Rival[] {
  const places = new Set([0, 1, 2, ...(own > page ? [page - 1] : [])]);
  const card = hasVectors ? reader.cardVector(ordinal) : null;
  return [...places].flatMap((place) => {
    const leader = leaders[place];
    if (leader === undefined || ordinals[leader] === ordinal) return [];
    const parts = partsOf(features, leader);
    const similarity = card === null ? null : cosine(card, reader.cardVector(ordinals[leader]!));
    return [
      {
        rank: place + 1,
        id: reader.key(ordinals[leader]!),
        score: Object.values(parts).reduce((sum, part) => sum + part, 0),
        parts,
        cardSimilarity: similarity,
      },
    ];
  });
}

function behindOf(reader: Reader, standing: Standing, page: number): WhyAnswer['behind'] {
  const { leaders, ordinals, features, at, rank: own } = standing;
  const places = own === 1 ? [] : own <= page ? [0] : [...new Set([0, page - 1])];
  return places.flatMap((place) => {
    const leader = leaders[place];
    if (leader === undefined) return [];
    const id = reader.key(ordinals[leader]!);
    return [{ rank: place + 1, id, over: reader.key(ordinals[at]!), ...separation(features, leader, at) }];
  });
}

function queryWords(reader: Reader, words: LexicalQuery, ordinal: number): WhyAnswer['words'] {
  const held = reader.lexical.termFields(words, ordinal);
  return words.terms.map(({ weight }, place) => ({
    word: wordsOf(words, [place])[0] ?? '',
    weight: words.mass > 0 ? weight / words.mass : 0,
    heldBy: fieldsOf(held[place]!),
  }));
}

function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let at = 0; at < a.length; at += 1) {
    product += a[at]! * b[at]!;
    squaresA += a[at]! ** 2;
    squaresB += b[at]! ** 2;
  }
  return squaresA > 0 && squaresB > 0 ? product / Math.sqrt(squaresA * squaresB) : 0;
}
