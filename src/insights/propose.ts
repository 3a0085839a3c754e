/**
 * One proposal for a skill's description from a whole set of requests: sentences added to it, each chosen by what it changes on
 * the set. A request that another skill should answer counts against every sentence that puts this skill ahead of that one.
 *
 * Sentences come from the skill's own text where it answers the requests, and from the requests in the form "Use when asked to …":
 * loose words would read badly and count as stuffing. Every rank is computed with the changed description (`reword.ts`).
 */

import { entryAt, evidenceFor, type Searchable } from '../search/public.ts';
import type { RankResult } from './ranking-scenario.ts';
import { rewordedQuery } from './reworded-query.ts';

/** Most sentences of a proposal, and characters of a description (the specification's limit). */
const MAX_SENTENCES = 3;
const MAX_CHARACTERS = 1_024;
/** Requests whose wording makes candidate sentences: the worst ranked ones. */
const ASKED = 12;
/** Candidate sentences of each kind. Each costs one ranking for each request and step. */
const OWN = 12;
/** Least characters and words of a sentence of the skill, and most characters of either kind. */
const MIN_SENTENCE = 30;
const MAX_SENTENCE = 240;
/** A sentence must raise the mean by at least this much. */
const MIN_GAIN = 0.005;

export interface AskedRequest {
  readonly text: string;
  /** Ordinals of the skills that should come first. Empty: this skill. */
  readonly wanted: readonly number[];
}

/** One request before and after. */
interface Effect {
  readonly request: string;
  /** Whether this skill should answer it. */
  readonly isOwn: boolean;
  /** Rank of this skill, from 1. */
  readonly before: number;
  readonly after: number;
  /** For a request of another skill: whether this one now ranks before it, and did not. */
  readonly takes: boolean;
}

export interface Proposal {
  readonly id: string;
  readonly description: string;
  /** The sentences that were added; empty where none helps. */
  readonly added: readonly string[];
  /** In the order of the requests. */
  readonly effects: readonly Effect[];
}

interface Asked {
  readonly request: string;
  readonly isOwn: boolean;
  readonly wanted: readonly number[];
  readonly before: RankResult;
  /** Ranks with other descriptions, in their order. */
  readonly with: (descriptions: readonly string[]) => Promise<RankResult[]>;
  /** Sentences of the skill's best passage. */
  readonly own: readonly string[];
}

export async function propose(
  {
    requests,
    ordinal,
    accept,
  }: { readonly requests: readonly AskedRequest[]; readonly ordinal: number; readonly accept: Uint8Array },
  index: Searchable,
): Promise<Proposal> {
  const { reader } = index;
  const entry = entryAt(reader, ordinal);
  const asked: Asked[] = [];
  for (const request of requests) asked.push(await askedOf(request, ordinal, accept, index));
  const worthOf = (results: readonly RankResult[]) =>
    results.reduce((sum, result, at) => sum + worth(asked[at]!, result), 0) / Math.max(1, asked.length);
  let description = entry.description.trimEnd();
  let current = asked.map(({ before }) => before);
  const added: string[] = [];
  let candidates = candidatesOf(asked);
  while (added.length < MAX_SENTENCES) {
    const tried = candidates
      .map((sentence) => ({ sentence, text: joined(description, sentence) }))
      .filter(({ text }) => [...text].length <= MAX_CHARACTERS);
    const ranks = await Promise.all(asked.map((each) => each.with(tried.map(({ text }) => text))));
    const values = tried.map((_, at) => worthOf(ranks.map((row) => row[at]!)));
    const best = values.indexOf(Math.max(...values));
    if (best === -1 || values[best]! < worthOf(current) + MIN_GAIN) break;
    description = tried[best]!.text;
    current = ranks.map((row) => row[best]!);
    added.push(tried[best]!.sentence);
    candidates = candidates.filter((sentence) => sentence !== tried[best]!.sentence);
  }
  return {
    id: entry.id,
    description,
    added,
    effects: asked.map((each, at) => ({
      request: each.request,
      isOwn: each.isOwn,
      before: each.before.rank,
      after: current[at]!.rank,
      takes: !each.isOwn && isAhead(each, current[at]!) && !isAhead(each, each.before),
    })),
  };
}

async function askedOf(
  { text, wanted }: AskedRequest,
  ordinal: number,
  accept: Uint8Array,
  { reader, embedder }: Searchable,
): Promise<Asked> {
  const { words, vector, ...reworded } = await rewordedQuery(text, { ordinal, accept }, { reader, embedder });
  const isOwn = wanted.length === 0 || wanted.includes(ordinal);
  const [passage] = isOwn ? evidenceFor(reader, ordinal, words, vector, 1) : [];
  return {
    ...reworded,
    isOwn,
    wanted,
    own: passage === undefined ? [] : sentencesOf(passage.excerpt),
  };
}

/** 1 / rank for the skill's own requests; −1 where it comes before the skill that another request is for. */
function worth(asked: Asked, result: RankResult): number {
  if (asked.isOwn) return result.isCandidate && result.foldedUnder === null ? 1 / result.rank : 0;
  return isAhead(asked, result) ? -1 : 0;
}

/** Whether the skill ranks before every skill that should answer. */
function isAhead({ wanted }: Asked, { rank, leaders, ordinals, isCandidate }: RankResult): boolean {
  if (!isCandidate) return false;
  const places = leaders.flatMap((leader, place) => (wanted.includes(ordinals[leader]!) ? [place + 1] : []));
  return places.every((place) => rank < place);
}

/** Sentences of the skill, then those from the requests that rank it worst. */
function candidatesOf(asked: readonly Asked[]): string[] {
  const behind = asked
    .filter(({ isOwn, before }) => isOwn && (before.rank > 1 || before.foldedUnder !== null))
    .toSorted((a, b) => b.before.rank - a.before.rank);
  const own = [...new Set(behind.flatMap((each) => each.own))].slice(0, OWN);
  const phrases = behind.slice(0, ASKED).map(({ request }) => phraseOf(request));
  const single = phrases.map((phrase) => useWhen([phrase]));
  const pairs = phrases.flatMap((phrase, at) =>
    phrases.slice(at + 1).map((other) => useWhen([phrase, other])),
  );
  return [...new Set([...own, ...single, ...pairs.slice(0, 3 * ASKED)])].filter(
    ({ length }) => length <= MAX_SENTENCE,
  );
}

const useWhen = (phrases: readonly string[]) => `Use when asked: ${phrases.join('; or: ')}.`;

/** The request without greetings and the mark at its end. */
const phraseOf = (request: string) =>
  request
    .replace(
      /^(?:please|hi|hello|hey|can you|could you|would you|i (?:want|need|would like) (?:you )?to)\b[\s,]*/i,
      '',
    )
    .replace(/[\s.?!;:]+$/, '');

/** Sentences of prose in a passage: no headings, code, tables or list marks. */
function sentencesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:#|\||```|>|<)/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+\.)\s+/, '').replace(/[`*_]+/g, ''))
    .join(' ')
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length >= MIN_SENTENCE && /^\p{L}.*[.!?]$/u.test(sentence));
}

function joined(description: string, sentence: string): string {
  const end = description === '' || /[.!?。！？]$/u.test(description) ? '' : '.';
  return `${description}${end} ${sentence}`.trimStart();
}
