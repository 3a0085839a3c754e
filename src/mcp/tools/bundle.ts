/** A bundle in the answer of search_skills: its members are the hits, and each part of the task names its hit. */

import * as z from 'zod';
import type { BundleAnswer } from '../../insights/public.ts';
import type { SearchAnswer } from '../../search/public.ts';
import { bare, clip, count } from '../text.ts';

/** Most characters of a part's text. */
const PART_CHARACTERS = 80;
/** Tokens that a part adds to the answer. */
export const TOKENS_PER_PART = 30;

export const bundleSchema = z.object({
  parts: z.array(
    z.object({
      text: z.string(),
      covered_by: z.int().nullable().describe('Rank of a hit'),
      weak: z.boolean().optional().describe('No skill clearly fits this part'),
    }),
  ),
  tokens: z.int().describe('For loading all hits'),
  max_tokens: z.int(),
  left_out: z.array(z.string()).optional().describe('Ids that did not fit max_tokens'),
});

export type BundleResult = z.infer<typeof bundleSchema>;

export function bundleOf({ parts, tokens, maxTokens, tooLarge }: BundleAnswer): BundleResult {
  return {
    parts: parts.map(({ text, coveredBy, weak }) => ({
      text: clip(text, PART_CHARACTERS),
      covered_by: coveredBy,
      ...(weak && { weak }),
    })),
    tokens,
    max_tokens: maxTokens,
    ...(tooLarge.length > 0 && { left_out: tooLarge.map(({ id }) => id) }),
  };
}

/** The bundle as a search answer whose hits are its members. */
export function answerOf({ members, ...answer }: BundleAnswer): SearchAnswer {
  const { query, retrieval, searched, confidence, fit, weak, foreign, tookMs } = answer;
  const hits = members.map(({ rank, entry, score, evidence }) => ({
    rank,
    entry,
    score,
    evidence,
    twins: [],
  }));
  const found = { query, retrieval, searched, confidence, fit, weak, tookMs, hits };
  return foreign === undefined ? found : { ...found, foreign };
}

/** The lines after the hits. */
export function bundleLines({ parts, tokens, max_tokens, left_out = [] }: BundleResult): string[] {
  return [
    `The hits together are the bundle: about ${count(tokens)} tokens to load of at most ${count(max_tokens)}. Parts of the task:`,
    ...parts.map(({ text, covered_by, weak }) => {
      const by =
        covered_by === null ? 'no hit covers it' : `hit ${covered_by}${weak === true ? ', perhaps' : ''}`;
      return `- ${text}: ${by}`;
    }),
    ...(left_out.length === 0 ? [] : [`Too large for the budget: ${left_out.map(bare).join(', ')}`]),
  ];
}

export const BUNDLE_HINT = 'Call load_skill with the id of each hit when you come to its part.';
