/**
 * The skills that a task with several parts needs together: search for each part and for the whole, then take a
 * small set that covers the parts and the words of the task (`cover.ts`) within a token budget.
 *
 * Exponent, shares and threshold were tuned on queries that need several documents: MetaTool, StableToolBench and
 * the bundle queries of the examples (`bench/TRIED.md`).
 */

import { FIELDS, type Reader } from '#index';
import type { CatalogEntry } from '../catalog/public.ts';
import {
  acceptedBy,
  type Candidates,
  type Confidence,
  candidatesFor,
  confidenceOf,
  confidenceSignalsOf,
  type Evidence,
  entryAt,
  evidenceFor,
  type Filter,
  type ForeignLanguage,
  featuresOf,
  isWeak,
  MAX_QUERY,
  type QueryWord,
  queryText,
  type Retrieval,
  ranked,
  retrievalOf,
  type Searchable,
  similarityOf,
  wordsIn,
} from '../search/public.ts';
import { cover } from './cover.ts';
import { subtasksOf } from './subtasks.ts';

/** Best skills of each part, and of the whole, that are considered. */
const DEPTH = 20;
/**
 * A fit is the score as a share of the part's best score, to this power: the second best skill seldom covers a
 * part.
 */
const SHARPNESS = 3;
/** Weight of the task's words against its parts. They help where the task was split badly or not at all. */
const WORDS_SHARE = 0.5;
/** A skill is taken only if it adds at least this to the total worth of 1. */
const LEAST_GAIN = 0.03;
/** A member covers a part if its score is at least this share of the part's best score. */
const COVERS = 0.7;
/** Bits of `termFields`. */
const CARD = (1 << FIELDS.indexOf('name')) | (1 << FIELDS.indexOf('description'));

interface BundleRequest {
  readonly query: string;
  /** Most tokens that loading all members may take. */
  readonly maxTokens: number;
  /** Most skills, from 1. */
  readonly limit: number;
  readonly filter?: Filter;
  /** Tokens that loading a skill takes, by its ordinal. */
  readonly costOf: (ordinal: number) => number;
}

export interface BundleMember {
  /** From 1, in order of choice: each member adds the most to those before it. */
  readonly rank: number;
  readonly entry: CatalogEntry;
  /** For the whole task, 0–1. */
  readonly score: number;
  /** Indexes of the parts that it covers; may be empty where only the words of the whole task support it. */
  readonly covers: readonly number[];
  readonly tokens: number;
  readonly evidence: readonly Evidence[];
}

interface BundlePart {
  readonly text: string;
  /** Rank of the member that fits best; null if no member covers the part. */
  readonly coveredBy: number | null;
  /** True if no skill of the catalog seems to fit this part alone: the cover is then a guess. */
  readonly weak: boolean;
}

export interface BundleAnswer {
  readonly query: string;
  /** Of the whole task. */
  readonly words: readonly QueryWord[];
  readonly retrieval: Retrieval;
  readonly searched: number;
  readonly members: readonly BundleMember[];
  /** The parts of the task; the whole task if it could not be split. */
  readonly parts: readonly BundlePart[];
  /** Tokens of loading all members. */
  readonly tokens: number;
  readonly maxTokens: number;
  /** Skills that were left out only because of the budget. */
  readonly tooLarge: readonly { readonly id: string; readonly tokens: number }[];
  /** `confidence` and `fit` are those of a search for the whole task. */
  readonly confidence: number | null;
  readonly fit: number | null;
  /** True if no skill seems to fit any part of the task. */
  readonly weak: boolean;
  /** As in `SearchAnswer`, for the whole task: its parts may be too short to judge. */
  readonly foreign?: ForeignLanguage;
  /** Wall time, ms. */
  readonly tookMs: number;
}

export async function bundle(request: BundleRequest, index: Searchable): Promise<BundleAnswer> {
  const started = index.now();
  const { reader } = index;
  const query = queryText(request.query);
  const accept = acceptedBy(reader, request.filter);
  // Keeps line breaks here: they separate the items of a list.
  const texts = subtasksOf(request.query.slice(0, MAX_QUERY)).map(queryText);
  const whole = await searchText(query, index, accept);
  const { foreign } = whole.candidates;
  const parts = texts.length === 1 ? [whole] : [];
  for (const text of texts.length === 1 ? [] : texts) parts.push(await searchText(text, index, accept));
  const pool = poolOf([whole, ...parts]);
  const scores = parts.map((part) => scoresOf(reader, part.candidates, pool));
  const scoresOfWhole = scoresOf(reader, whole.candidates, pool);
  const costs = new Map<number, number>();
  const costOf = (at: number) => {
    const cost = costs.get(at) ?? request.costOf(pool[at]!);
    costs.set(at, cost);
    return cost;
  };
  const { members, tooLarge } = cover({
    ...aims(reader, whole, parts, pool, scores, scoresOfWhole),
    skills: pool.length,
    costOf,
    budget: request.maxTokens,
    most: request.limit,
    least: LEAST_GAIN,
    areTwins: similarityOf(reader, pool, scoresOfWhole).areTwins,
  });
  const covers = scores.map((part) => bestMember(part, members));
  const shown = members.map((at, place): BundleMember => {
    const own = covers.flatMap((position, part) => (position === place ? [part] : []));
    const searched = parts[own[0] ?? -1] ?? whole;
    const { words, vector } = searched.candidates;
    return {
      rank: place + 1,
      entry: entryAt(reader, pool[at]!),
      score: Math.min(1, Math.max(0, scoresOfWhole[at]!)),
      covers: own,
      tokens: costOf(at),
      evidence: evidenceFor(reader, pool[at]!, words, vector, 1),
    };
  });
  return {
    query,
    words: wordsIn(whole.candidates.words),
    retrieval: retrievalOf(whole.candidates, index),
    searched: reader.documentsIn(accept),
    members: shown,
    parts: parts.map(({ confidence }, part) => ({
      text: texts[part]!,
      coveredBy: covers[part] === null ? null : covers[part]! + 1,
      weak: isWeak(confidence?.fit ?? null),
    })),
    tokens: shown.reduce((sum, { tokens }) => sum + tokens, 0),
    maxTokens: request.maxTokens,
    tooLarge: tooLarge.map((at) => ({ id: reader.key(pool[at]!), tokens: costOf(at) })),
    confidence: whole.confidence?.first ?? null,
    fit: whole.confidence?.fit ?? null,
    weak: foreign !== null || [whole, ...parts].every(({ confidence }) => isWeak(confidence?.fit ?? null)),
    ...(foreign === null ? {} : { foreign }),
    tookMs: index.now() - started,
  };
}

/** The search for one text: its candidates, their order and the confidence. */
interface TextSearch {
  readonly candidates: Candidates;
  /** Ordinals, best first. */
  readonly best: readonly number[];
  readonly confidence: Confidence | null;
}

async function searchText(
  text: string,
  { reader, embedder }: Searchable,
  accept: Uint8Array,
): Promise<TextSearch> {
  const candidates = await candidatesFor(text, reader, embedder, accept);
  const { ordinals, features } = candidates;
  const order = ranked(reader, ordinals, features);
  const signs = confidenceSignalsOf(candidates, order, similarityOf(reader, ordinals, order.scores).areTwins);
  return {
    candidates,
    best: order.order.slice(0, DEPTH).map((at) => ordinals[at]!),
    confidence: signs === null ? null : confidenceOf(signs),
  };
}

/** Ordinals of all skills that are considered, ascending. */
const poolOf = (all: readonly TextSearch[]) =>
  Uint32Array.from(new Set(all.flatMap(({ best }) => best))).sort();

/** The score of every skill of the pool for one text, whether or not it was a candidate for it. */
function scoresOf(reader: Reader, { ordinals, words, vector }: Candidates, pool: Uint32Array): Float32Array {
  const all = Uint32Array.from(new Set([...ordinals, ...pool])).sort();
  const { scores } = ranked(reader, all, featuresOf(reader, all, words, vector));
  return Float32Array.from(pool, (ordinal) => scores[all.indexOf(ordinal)]!);
}

/**
 * What the set has to cover: each part, weighted by how well the catalog fits it, and each word of the whole task,
 * by its weight.
 */
function aims(
  reader: Reader,
  whole: TextSearch,
  parts: readonly TextSearch[],
  pool: Uint32Array,
  scores: readonly Float32Array[],
  scoresOfWhole: Float32Array,
): { fits: Float32Array[]; weights: number[] } {
  const { words } = whole.candidates;
  const fitsOfWhole = fitsOf(scoresOfWhole);
  const fields = Array.from(pool, (ordinal) => reader.lexical.termFields(words, ordinal));
  const ofWords = words.terms.map((_, term) =>
    fitsOfWhole.map((fit, at) => ((fields[at]![term]! & CARD) === 0 ? 0 : fit)),
  );
  const masses = words.terms.map(({ weight }, term) => (ofWords[term]!.some((fit) => fit > 0) ? weight : 0));
  return {
    fits: [...scores.map(fitsOf), ...ofWords],
    weights: [
      ...shares(parts.map(({ confidence }) => confidence?.fit ?? 0)).map(
        (share) => (1 - WORDS_SHARE) * share,
      ),
      ...shares(masses).map((share) => WORDS_SHARE * share),
    ],
  };
}

function fitsOf(scores: Float32Array): Float32Array {
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  return best > 0 ? scores.map((score) => Math.max(0, score / best) ** SHARPNESS) : scores.map(() => 0);
}

function shares(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  return sum > 0 ? values.map((value) => value / sum) : values.map(() => 0);
}

/** Position of the member with the highest score for a part; null if no member comes close to the part's best score. */
function bestMember(scores: Float32Array, members: readonly number[]): number | null {
  let best: number | null = null;
  members.forEach((at, place) => {
    if (best === null || scores[at]! > scores[members[best]!]!) best = place;
  });
  const most = scores.reduce((highest, score) => Math.max(highest, score), 0);
  return best !== null && most > 0 && scores[members[best]!]! >= COVERS * most ? best : null;
}
