/**
 * BM25 over name and description as one text, the method of most skill and tool searches: the baseline of `skillgate eval`
 * and of the benchmark. It does not use the product's index, so a change of the product does not change it.
 */

import { stemmer } from 'stemmer';
import type { System } from './evaluate.ts';
import type { RankedDocument } from './evaluation.ts';

/** Robertson and Zaragoza, The probabilistic relevance framework: BM25 and beyond, 2009. */
const K1 = 1.2;
const B = 0.75;

/** Function words of English, and words that most descriptions of skills contain. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be by can do does for from has have help how i in into is it its me my need needs of on or ' +
    'our skill skills that the they this to use used user users using want wants we what when which with you your'
  ).split(' '),
);

interface Bm25 extends Omit<System, 'name'> {
  /** The score of each text, in the order of the texts. */
  scores(query: string): Float64Array;
  /** The score of a text outside the corpus, with the statistics of the corpus. */
  scoreOf(query: string, text: string): number;
}

/** A plain BM25 over texts; `tokenise` takes a text and the queries apart. Equal scores keep the order of `ids`. */
export function bm25(
  ids: readonly string[],
  texts: readonly string[],
  tokenise: (text: string) => string[] = stemsOf,
): Bm25 {
  const tokens = texts.map((text) => tokenise(text));
  const averageLength = tokens.reduce((sum, words) => sum + words.length, 0) / Math.max(1, tokens.length);
  const postings = new Map<string, { readonly document: number; frequency: number }[]>();
  tokens.forEach((words, document) => {
    for (const word of words) {
      const list = postings.get(word) ?? [];
      if (list.length === 0) postings.set(word, list);
      const last = list.at(-1);
      if (last?.document === document) last.frequency += 1;
      else list.push({ document, frequency: 1 });
    }
  });
  const weightOf = (word: string) => {
    const holding = postings.get(word)?.length ?? 0;
    return Math.log(1 + (ids.length - holding + 0.5) / (holding + 0.5));
  };
  const contribution = (word: string, frequency: number, length: number) =>
    (weightOf(word) * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averageLength));
  const scores = (query: string) => {
    const sums = new Float64Array(ids.length);
    for (const word of new Set(tokenise(query)))
      for (const { document, frequency } of postings.get(word) ?? [])
        sums[document]! += contribution(word, frequency, tokens[document]!.length);
    return sums;
  };
  return {
    search: async (query, k) => topRanked(ids, scores(query), k),
    scores,
    scoreOf(query, text) {
      const words = tokenise(text);
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      return [...new Set(tokenise(query))].reduce((sum, word) => {
        const frequency = counts.get(word) ?? 0;
        return frequency === 0 ? sum : sum + contribution(word, frequency, words.length);
      }, 0);
    },
  };
}

/** The words of a text in lower case: all of them, as they are. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const stemsOf = (text: string) =>
  wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stemmer);

/** The `k` highest scores above 0, best first. Equal scores keep the order of `ids`. */
export function topRanked(ids: readonly string[], scores: ArrayLike<number>, k: number): RankedDocument[] {
  const top: RankedDocument[] = [];
  for (let index = 0; index < ids.length; index++) {
    const score = scores[index]!;
    if (!(score > 0) || (top.length === k && score <= top.at(-1)!.score)) continue;
    let position = top.length;
    while (position > 0 && top[position - 1]!.score < score) position--;
    top.splice(position, 0, { id: ids[index]!, score });
    if (top.length > k) top.pop();
  }
  return top;
}
