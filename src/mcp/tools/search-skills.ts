/** search_skills: from a task in words to the skills that fit, each with its evidence. */

import * as z from 'zod';
import type { Gateway } from '../../gateway/public.ts';
import type { SearchAnswer, SearchRequest } from '../../search/public.ts';
import { declareTool } from '../tool.ts';
import {
  asBoolean,
  asGiven,
  asJson,
  asList,
  asNumber,
  normalised,
  toolArguments,
  wholeNumber,
} from './arguments.ts';
import { answerOf, type BundleResult, bundleOf } from './bundle.ts';
import { answerWithin, resultSchema, wholeResult } from './search-answer.ts';

const DEFAULT_TOP_K = 5;
const MOST_TOP_K = 50;
/** Bounds of a token budget. */
const LEAST_TOKENS = 100;
const MOST_TOKENS = 50_000;

const argumentsSchema = toolArguments(
  {
    query: z.string().describe('What you want to do, in your own words; empty browses all skills'),
    top_k: wholeNumber(1, MOST_TOP_K).default(DEFAULT_TOP_K).describe('Most hits to return'),
    cursor: z.string().optional().describe('next_cursor of the last answer to this query and these filters'),
    filters: z
      .object({
        sources: z.array(z.string()).max(50).optional().describe('Names of sources, any of them'),
        tags: z.array(z.string()).max(50).optional().describe('Tags, any of them'),
        has_scripts: z.boolean().optional(),
      })
      .optional()
      .describe('Which skills may be found'),
    bundle: z
      .boolean()
      .optional()
      .describe('For a task with several parts: the fewest skills that together cover it'),
    max_tokens: wholeNumber(LEAST_TOKENS, MOST_TOKENS)
      .optional()
      .describe('Token budget for loading all skills of a bundle'),
  },
  {
    top_k: asNumber,
    cursor: asGiven,
    filters: (value) =>
      normalised(asJson(asGiven(value)), { sources: asList, tags: asList, has_scripts: asBoolean }),
    bundle: asBoolean,
    max_tokens: asNumber,
  },
);

export const searchSkills = declareTool({
  name: 'search_skills',
  title: 'Search skills',
  description: (guide) => guide.search,
  input: argumentsSchema,
  result: resultSchema,
  async handle(args, gateway) {
    const { answer, bundle } = await searched(args, gateway);
    const { result, text } = answerWithin(answer, args.filters !== undefined, bundle);
    return { structured: result, content: [{ type: 'text', text }] };
  },
});

/** The result without a budget of tokens: nothing of the hits is cut. */
export async function searchWhole(args: z.infer<typeof argumentsSchema>, gateway: Gateway) {
  const { answer, bundle } = await searched(args, gateway);
  return wholeResult(answer, args.filters !== undefined, bundle);
}

async function searched(
  { query, top_k, cursor, filters, bundle, max_tokens }: z.infer<typeof argumentsSchema>,
  gateway: Gateway,
): Promise<{ answer: SearchAnswer; bundle?: BundleResult }> {
  // A bundle has no pages, and browsing has no task to cover.
  if (bundle === true && cursor === undefined && query.trim() !== '') {
    const found = await gateway.bundle({
      query,
      limit: top_k,
      ...(max_tokens !== undefined && { maxTokens: max_tokens }),
      ...(filters !== undefined && { filter: filterOf(filters) }),
    });
    return { answer: answerOf(found), bundle: bundleOf(found) };
  }
  const answer = await gateway.search({
    query,
    limit: top_k,
    ...(cursor !== undefined && { cursor }),
    ...(filters !== undefined && { filter: filterOf(filters) }),
  });
  return { answer };
}

function filterOf({
  sources,
  tags,
  has_scripts,
}: {
  sources?: string[] | undefined;
  tags?: string[] | undefined;
  has_scripts?: boolean | undefined;
}): NonNullable<SearchRequest['filter']> {
  return {
    ...(sources !== undefined && { sources }),
    ...(tags !== undefined && { tags }),
    ...(has_scripts !== undefined && { hasScripts: has_scripts }),
  };
}
