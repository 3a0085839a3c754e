/** A bundle in the answer of search_skills: its members are the hits, and each part of the task names its hit. */

import type { FoundBundle, FoundSkills } from '../../gateway/public.ts';
import { bare, clip, count } from '../text.ts';

/** Most characters of a part's text. */
const PART_CHARACTERS = 80;

/** A part is covered by the hit of that id, or by none; `weak` if no skill clearly fits it. */
export interface BundleResult {
  readonly [field: string]: unknown;
  readonly parts: readonly { text: string; covered_by: string | null; weak?: boolean }[];
  /** For loading all hits. */
  readonly tokens: number;
  readonly max_tokens: number;
  /** Skills that did not fit `max_tokens`, with what they take. */
  readonly left_out?: readonly string[];
}

export function bundleOf({ members, parts, tokens, maxTokens, tooLarge }: FoundBundle): BundleResult {
  return {
    parts: parts.map(({ text, coveredBy, weak }) => ({
      text: clip(text, PART_CHARACTERS),
      covered_by: members.find(({ rank }) => rank === coveredBy)?.shortId ?? null,
      ...(weak && { weak }),
    })),
    tokens,
    max_tokens: maxTokens,
    ...(tooLarge.length > 0 && {
      left_out: tooLarge.map(({ id, tokens }) => `${id} (${count(tokens)} tokens)`),
    }),
  };
}

/** The bundle as a search answer whose hits are its members. */
export function answerOf({ members, ...answer }: FoundBundle): FoundSkills {
  const { query, words, retrieval, searched, confidence, fit, weak, foreign, tookMs } = answer;
  const hits = members.map(({ rank, entry, shortId, score, evidence }) => ({
    rank,
    entry,
    shortId,
    score,
    evidence,
    twins: [],
  }));
  const found = { query, words, retrieval, searched, confidence, fit, weak, tookMs, hits };
  return foreign === undefined ? found : { ...found, foreign };
}

/** The lines after the hits. */
export function bundleLines({ parts, tokens, max_tokens, left_out = [] }: BundleResult): string[] {
  return [
    `The hits are the bundle: about ${count(tokens)} tokens to load of at most ${count(max_tokens)}. Parts of the task:`,
    ...parts.map(({ text, covered_by, weak }) => {
      const by =
        covered_by === null ? 'no hit covers it' : `${bare(covered_by)}${weak === true ? ', perhaps' : ''}`;
      return `- ${text}: ${by}`;
    }),
    ...(left_out.length === 0
      ? []
      : [`Left out, too large for the budget: ${left_out.map(bare).join(', ')}`]),
  ];
}

export const BUNDLE_HINT = 'Call load_skill with the id of each hit when you come to its part.';
