/**
 * Explains the rank of a skill for a query and what would improve it: its features next to the winners', the words
 * it lacks, and the measured ranks of other descriptions.
 */

import { type LexicalQuery, wordsOf } from '../../index/lexical/query/query.ts';
import type { Field } from '../../index/passage.ts';
import { dot, inverseLength } from '../../index/vectors/float.ts';
import type { Reader } from '../../src/app/extension-api.ts';
import type { Evidence, Lead, Retrieval } from '../../src/search/answer.ts';
import { candidatesFor, queryText } from '../../src/search/candidates.ts';
import { evidenceFor } from '../../src/search/evidence.ts';
import { contributionsOf, separation } from '../../src/search/rank.ts';
import { entryAt, retrievalOf, type Searchable } from '../../src/search/search.ts';
import { RankingScenario, type RankResult } from './ranking-scenario.ts';
import { rewording } from './reword.ts';
import { fieldNames, type Suggestion, suggestions } from './suggest.ts';
import { namesSubject } from './words.ts';

/** Cosine from which two cards count as nearly the same, with the shipped model. */
export const NEARLY_SAME_CARD = 0.95;
/** Hits of the first page by default: the same as a search's. */
const PAGE = 5;
/** Most words in the suggested set. */
const MAX_WORDS = 4;
/**
 * A skill with a lower score is not about the query. Of 44 judged requests of the example skills the right skill had more for 43, a
 * random one less for 29; over 24,849 skills 31 of 31, and 29 of 31.
 */
const ABOUT = 0.2;
/** Most of the query's words that a proposal may have, as a share: more of them would copy it. */
const COPIED = 2 / 3;
/** Helpful words that are tried in combination. */
const TRIED_TOGETHER = 6;

export interface Rival {
  readonly rank: number;
  readonly id: string;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  /** Cosine of its card and the skill's; null without vectors. */
  readonly cardSimilarity: number | null;
}

interface TriedWord extends Suggestion {
  /** The skill's rank with the word at the end of its description. */
  readonly rank: number;
  readonly score: number;
}

export interface WhyAnswer {
  readonly query: string;
  readonly id: string;
  readonly retrieval: Retrieval;
  /** From 1. If the skill is not a candidate, its rank among all skills. */
  readonly rank: number;
  readonly searched: number;
  /** False if neither retrieval makes the skill a candidate, so no page shows it. */
  readonly reached: boolean;
  /** Id of the near-identical skill that is shown instead, or null. */
  readonly foldedUnder: string | null;
  /** False where the skill is about something else: then no words are tried, since they would promise what it does not do. */
  readonly about: boolean;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  /** The first three, and the last of the first page if the skill ranks below it; never the skill itself. */
  readonly rivals: readonly Rival[];
  /** What rank 1, and the last rank of the first page, have over the skill; empty if it is first. */
  readonly behind: readonly (Lead & { readonly rank: number; readonly id: string })[];
  /** Words of the query in its order, with their share of its weight (0–1) and the fields that contain each. */
  readonly words: readonly {
    readonly word: string;
    readonly weight: number;
    readonly heldBy: readonly Field[];
  }[];
  /** The skill's best passage for the query. */
  readonly passage: Evidence | null;
  /** Words that were tried, most helpful first; empty if the skill is first already, or not about the query. */
  readonly tried: readonly TriedWord[];
  /** The smallest set of words with the best rank, and the sentence that has them; null if no tried word improves the rank. */
  readonly best: {
    readonly words: readonly string[];
    readonly sentence: string;
    readonly rank: number;
    readonly score: number;
  } | null;
}

interface WhyRequest {
  readonly query: string;
  /** Ordinal of the skill; `accept` must contain it. */
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
  const scenario = await RankingScenario.open(index, candidates, { ordinal, accept });
  const current = scenario.asIndexed();
  const entry = entryAt(reader, ordinal);
  const top = current.leaders.filter((leader) => current.ordinals[leader] !== ordinal);
  const winners = top.slice(0, page).map((leader) => entryAt(reader, current.ordinals[leader]!).description);
  const reworded = rewording({ reader, embedder, words, vector, ordinal, entry });
  const measure = async (sets: readonly (readonly string[])[]) => {
    const made = await reworded(sets.map((set) => withWords(entry.description, set)));
    return made.map((counterfactual) => scenario.with(counterfactual));
  };
  const about = current.score >= ABOUT || current.rank === 1;
  const improvable = about && (current.rank > 1 || current.foldedUnder !== null);
  const tried = improvable ? await tryEach(suggestions(reader, words, ordinal, winners), measure) : [];
  return {
    query,
    id: entry.id,
    retrieval: retrievalOf(candidates, index),
    rank: current.rank,
    searched: reader.documentsIn(accept),
    reached: current.isCandidate,
    foldedUnder: current.foldedUnder === null ? null : reader.key(current.foldedUnder),
    about,
    score: current.score,
    parts: contributionsOf(current.features, current.at, current.learned),
    rivals: describeRivals(reader, current, ordinal, page, vector !== null),
    behind: compareWithWinners(reader, current, page),
    words: queryWords(reader, words, ordinal),
    passage: evidenceFor(reader, ordinal, words, vector, 1)[0] ?? null,
    tried,
    best: await bestSet(tried, countSubjects(words), current, measure),
  };
}

/** The description with a sentence that has the words. */
export function withWords(description: string, words: readonly string[]): string {
  const text = description.trimEnd();
  const end = text === '' || /[.!?。！？]$/u.test(text) ? '' : '.';
  return `${text}${end} ${formatSentence(words)}`.trimStart();
}

/** `Also for a, b and c.` */
function formatSentence(words: readonly string[]): string {
  const [last = '', ...before] = words.toReversed();
  return `Also for ${before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`}.`;
}

/** Number of the query's words that name a subject. */
const countSubjects = ({ terms }: LexicalQuery) =>
  new Set(terms.flatMap(({ term }) => (namesSubject(term) ? [term] : []))).size;

type Measure = (sets: readonly (readonly string[])[]) => Promise<RankResult[]>;

async function tryEach(words: readonly Suggestion[], measure: Measure): Promise<TriedWord[]> {
  const results = await measure(words.map(({ word }) => [word]));
  return words
    .map((word, at) => ({ ...word, rank: results[at]!.rank, score: results[at]!.score }))
    .sort(byRank);
}

/**
 * Greedy: the best word, then the word that adds most to it. Returns the smallest set with the best rank. `subjects`: number of the
 * query's words that name one; no set has most of them.
 */
async function bestSet(
  tried: readonly TriedWord[],
  subjects: number,
  now: RankResult,
  measure: Measure,
): Promise<WhyAnswer['best']> {
  const pool = tried.slice(0, TRIED_TOGETHER).map(({ word }) => word);
  const ofQuery = new Set(tried.flatMap(({ word, from }) => (from === 'query' ? [word] : [])));
  const copies = (set: readonly string[]) =>
    subjects > 1 && set.filter((word) => ofQuery.has(word)).length > COPIED * subjects;
  let best: Omit<NonNullable<WhyAnswer['best']>, 'sentence'> = {
    words: [],
    rank: now.rank,
    score: now.score,
  };
  for (let set: readonly string[] = []; set.length < MAX_WORDS && best.rank > 1; ) {
    const sets = pool
      .filter((word) => !set.includes(word))
      .map((word) => [...set, word])
      .filter((each) => !copies(each));
    const results = await measure(sets);
    const [next] = sets
      .map((words, at) => ({ words, rank: results[at]!.rank, score: results[at]!.score }))
      .sort(byRank);
    if (next === undefined) break;
    if (next.rank < best.rank) best = next;
    set = next.words;
  }
  return best.rank < now.rank ? { ...best, sentence: formatSentence(best.words) } : null;
}

const byRank = (a: { rank: number; score: number }, b: { rank: number; score: number }) =>
  a.rank - b.rank || b.score - a.score;

function describeRivals(
  reader: Reader,
  { leaders, ordinals, features, learned, rank: own }: RankResult,
  ordinal: number,
  page: number,
  hasVectors: boolean,
): Rival[] {
  const places = new Set([0, 1, 2, ...(own > page ? [page - 1] : [])]);
  const card = hasVectors ? reader.passages.cardVector(ordinal) : null;
  return [...places].flatMap((place) => {
    const leader = leaders[place];
    if (leader === undefined || ordinals[leader] === ordinal) return [];
    const parts = contributionsOf(features, leader, learned);
    const similarity = card === null ? null : cosine(card, reader.passages.cardVector(ordinals[leader]!));
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

function compareWithWinners(reader: Reader, current: RankResult, page: number): WhyAnswer['behind'] {
  const { leaders, ordinals, features, learned, at, rank: own } = current;
  const places = own === 1 ? [] : own <= page ? [0] : [...new Set([0, page - 1])];
  return places.flatMap((place) => {
    const leader = leaders[place];
    if (leader === undefined) return [];
    const id = reader.key(ordinals[leader]!);
    return [
      { rank: place + 1, id, over: reader.key(ordinals[at]!), ...separation(features, leader, at, learned) },
    ];
  });
}

function queryWords(reader: Reader, words: LexicalQuery, ordinal: number): WhyAnswer['words'] {
  const fields = reader.lexical.termFields(words, ordinal);
  return words.terms.map(({ weight }, place) => ({
    // What all skills are counts in names only.
    word: `${wordsOf(words, [place])[0] ?? ''}${words.isOfOwnKind && place === words.terms.length - 1 ? ' in its name' : ''}`,
    weight: words.mass > 0 ? weight / words.mass : 0,
    heldBy: fieldNames(fields[place]!),
  }));
}

const cosine = (a: Float32Array, b: Float32Array) => dot(a, b) * inverseLength(a) * inverseLength(b);
