/**
 * The skills that a task with several parts needs together: search for each part and for the whole, then take a
 * small set that covers the parts and the words of the task (`cover.ts`) within a token budget.
 *
 * Exponent, shares and threshold were tuned on queries that need several documents: MetaTool, StableToolBench and
 * the bundle queries of the examples (`bench/TRIED.md`).
 */

import { candidatesIn, type DocumentReader, type LexicalQuery, type Reader } from '#index';
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
  readEvidence,
  retrievalOf,
  type Searchable,
  similarityOf,
  wordsIn,
} from '../search/public.ts';
import { cover } from './cover.ts';
import { subtasksOf } from './subtasks.ts';
import { CARD } from './suggest.ts';

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
const MIN_GAIN = 0.03;
/** A member covers a part if its score is at least this share of the part's best score. */
const COVERS = 0.7;

interface BundleRequest {
  readonly query: string;
  /** Most tokens that loading all members may take. */
  readonly maxTokens: number;
  /** Most skills, from 1. */
  readonly limit: number;
  readonly filter?: Filter;
  /** Tokens that loading a skill takes, by its ordinal. */
  readonly costOf: (ordinal: number, passages: DocumentReader['passages']) => number;
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
  const seenForWhole = await seenFor(whole, pool, index);
  const seen = parts.length === 1 ? [seenForWhole] : [];
  for (const part of parts.length === 1 ? [] : parts) seen.push(await seenFor(part, pool, index));
  const scores = seen.map((part) => part.scores);
  const scoresOfWhole = seenForWhole.scores;
  await seenForWhole.documents.readPassages?.(bodiesOf(reader, pool));
  const costs = new Map<number, number>();
  const costOf = (at: number) => {
    const cost = costs.get(at) ?? request.costOf(pool[at]!, seenForWhole.documents.passages);
    costs.set(at, cost);
    return cost;
  };
  const { members, tooLarge } = cover({
    ...aims(seenForWhole, parts, pool, scores),
    skills: pool.length,
    costOf,
    budget: request.maxTokens,
    most: request.limit,
    least: MIN_GAIN,
    areTwins: similarityOf(reader, pool, scoresOfWhole).areTwins,
  });
  const covers = scores.map((part) => bestMember(part, members));
  const shown: BundleMember[] = [];
  for (const [place, at] of members.entries()) {
    const own = covers.flatMap((position, part) => (position === place ? [part] : []));
    const { documents, words, vector } = seen[own[0] ?? -1] ?? seenForWhole;
    const ordinal = pool[at]!;
    await readEvidence(documents, words, vector, [{ ordinal, most: 1 }]);
    shown.push({
      rank: place + 1,
      entry: entryAt(reader, ordinal),
      score: Math.min(1, Math.max(0, scoresOfWhole[at]!)),
      covers: own,
      tokens: costOf(at),
      evidence: evidenceFor(documents, ordinal, words, vector, 1),
    });
  }
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
  readonly text: string;
  readonly candidates: Candidates;
  /** Ordinals, best first. */
  readonly best: readonly number[];
  readonly confidence: Confidence | null;
}

async function searchText(
  text: string,
  { reader, embedder, candidatesOf = candidatesIn }: Searchable,
  accept: Uint8Array,
): Promise<TextSearch> {
  const candidates = await candidatesFor(text, reader, embedder, accept, candidatesOf(reader));
  const { ordinals, features } = candidates;
  const order = ranked(reader, ordinals, features);
  const signs = confidenceSignalsOf(candidates, order, similarityOf(reader, ordinals, order.scores).areTwins);
  return {
    text,
    candidates,
    best: order.order.slice(0, DEPTH).map((at) => ordinals[at]!),
    confidence: signs === null ? null : confidenceOf(signs),
  };
}

/** Ordinals of all skills that are considered, ascending. */
const poolOf = (all: readonly TextSearch[]) =>
  Uint32Array.from(new Set(all.flatMap(({ best }) => best))).sort();

/** The body passages of these skills. */
const bodiesOf = ({ passages }: Reader, pool: Uint32Array) =>
  Array.from(pool).flatMap((ordinal) =>
    passages.kinds(ordinal).flatMap((kind, at) => (kind === 'body' ? [{ ordinal, at }] : [])),
  );

/** The skills of the pool as one text sees them, whether or not they were candidates for it. */
interface Seen {
  readonly words: LexicalQuery;
  readonly vector: Float32Array | null;
  readonly documents: DocumentReader;
  /** The score of each skill of the pool. */
  readonly scores: Float32Array;
}

async function seenFor(
  { text, candidates: { ordinals, language, vector } }: TextSearch,
  pool: Uint32Array,
  { reader, candidatesOf = candidatesIn }: Searchable,
): Promise<Seen> {
  const all = Uint32Array.from(new Set([...ordinals, ...pool])).sort();
  const { words, documents } = await candidatesOf(reader).lookAt({ text, language, vector }, all);
  const { scores } = ranked(reader, all, featuresOf(documents, all, words, vector));
  return {
    words,
    vector,
    documents,
    scores: Float32Array.from(pool, (ordinal) => scores[all.indexOf(ordinal)]!),
  };
}

/**
 * What the set has to cover: each part, weighted by how well the catalog fits it, and each word of the whole task,
 * by its weight.
 */
function aims(
  { words, documents, scores: scoresOfWhole }: Seen,
  parts: readonly TextSearch[],
  pool: Uint32Array,
  scores: readonly Float32Array[],
): { fits: Float32Array[]; weights: number[] } {
  const fitsOfWhole = fitsOf(scoresOfWhole);
  const fields = Array.from(pool, (ordinal) => documents.lexical.termFields(words, ordinal));
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
