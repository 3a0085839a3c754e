/**
 * `bm25-card`: BM25 over name and description, what most skill and tool searchers do. Written out here, apart from
 * the product's index, so that the baseline does not move when the product does.
 */

import { stemmer } from 'stemmer';
import { type Arm, cardOf } from './arm.ts';
import { best } from './best.ts';

/** Robertson and Zaragoza, The probabilistic relevance framework: BM25 and beyond, 2009. */
const K1 = 1.2;
const B = 0.75;

/**
 * Function words of English, and the words in which every description of a skill is phrased; the list with which
 * this baseline was first measured on skills.
 */
const STOP_WORDS = new Set(
  (
    'a an and are as at be by can do does for from has have help how i in into is it its me my need needs of on or ' +
    'our skill skills that the they this to use used user users using want wants we what when which with you your'
  ).split(' '),
);

export const bm25Card: Arm = {
  name: 'bm25-card',
  about: 'BM25 (k1 1.2, b 0.75, Porter stems, English stop words) on name and description as one text.',
  build: async ({ skills }) =>
    bm25(
      skills.map(({ id }) => id),
      skills.map(cardOf),
    ),
};

type Built = NonNullable<Awaited<ReturnType<Arm['build']>>>;

/** A plain BM25 over texts. Ties keep the order of `ids`. */
export function bm25(ids: readonly string[], texts: readonly string[]): Built {
  const tokens = texts.map(tokenise);
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
  return {
    search: async (query, k) => {
      const scores = new Float64Array(ids.length);
      for (const word of new Set(tokenise(query))) {
        const list = postings.get(word) ?? [];
        const idf = Math.log(1 + (ids.length - list.length + 0.5) / (list.length + 0.5));
        for (const { document, frequency } of list) {
          const length = 1 - B + (B * tokens[document]!.length) / averageLength;
          scores[document]! += (idf * frequency * (K1 + 1)) / (frequency + K1 * length);
        }
      }
      return best(ids, scores, k);
    },
  };
}

function tokenise(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stemmer);
}
