/** search_skills: from a task in words to the skills that fit. */

import * as z from 'zod';
import type { FoundSkills, Gateway } from '../../gateway/public.ts';
import type { SearchRequest } from '../../search/public.ts';
import type { Guide } from '../instructions.ts';
import { type Answer, declareTool } from '../tool.ts';
import {
  asBoolean,
  asGiven,
  asJson,
  asList,
  asNumber,
  knownFields,
  normalised,
  toolArguments,
  wholeNumber,
} from './arguments.ts';
import { answerOf, type BundleResult, bundleOf } from './bundle.ts';
import { ALSO, answerWithin, resultSchema, USUAL_HITS, wholeResult, withoutTail } from './search-answer.ts';

const MAX_TOP_K = 50;
/** Bounds of a token budget. */
const MIN_TOKENS = 100;
const MAX_TOKENS = 50_000;

const shape = {
  query: z.string().describe('What you want to do; empty browses'),
  top_k: wholeNumber(1, MAX_TOP_K).default(USUAL_HITS).describe('Most hits'),
  cursor: z.string().optional().describe('next_cursor of the last answer'),
  filters: knownFields({
    sources: z.array(z.string()).optional(),
    tags: z.array(z.string()).optional(),
    tools: z.array(z.string()).optional().describe('Tools that they need'),
    has_scripts: z.boolean().optional(),
  })
    .optional()
    .describe('Any of each list'),
  bundle: z.boolean().optional().describe('The fewest skills that cover a task with several parts'),
  max_tokens: wholeNumber(MIN_TOKENS, MAX_TOKENS).optional().describe('To load a bundle'),
  detail: z.boolean().optional().describe('Adds evidence, score parts, descriptions, copies'),
};
const normalisers = {
  top_k: asNumber,
  cursor: asGiven,
  filters: (value: unknown) =>
    normalised(asJson(asGiven(value)), {
      sources: asList,
      tags: asList,
      tools: asList,
      has_scripts: asBoolean,
    }),
  bundle: asBoolean,
  max_tokens: asNumber,
  detail: asBoolean,
};
const argumentsSchema = toolArguments(shape, normalisers);

type Arguments = z.infer<typeof argumentsSchema>;

const declaration = {
  name: 'search_skills',
  title: 'Search skills',
  description: (guide: Guide) => guide.search,
  result: resultSchema,
  // Hosts that defer tools until they are searched for would never find the skills.
  meta: { 'anthropic/alwaysLoad': true },
  async handle(
    args: Arguments,
    gateway: Gateway,
  ): Promise<Answer<ReturnType<typeof answerWithin>['result']>> {
    const { answer, bundle } = await found(args, gateway);
    const { top_k, filters, detail = false } = args;
    const shown = detail || bundle !== undefined ? answer : withoutTail(answer, top_k);
    const options = { filtered: filters !== undefined, detail, ...(bundle !== undefined && { bundle }) };
    const { result, text } = answerWithin(shown, options);
    return { structured: result, content: [{ type: 'text', text }] };
  },
};

export const searchSkills = declareTool({ ...declaration, input: argumentsSchema });

/** For servers that learn: the agent may say whether the skill that it loaded last helped. */
export const searchSkillsWithFeedback = declareTool({
  ...declaration,
  input: toolArguments(
    {
      ...shape,
      detail: shape.detail.describe('Adds evidence, scores, copies'),
      feedback: z.boolean().optional().describe('Last skill helped'),
    },
    { ...normalisers, feedback: asBoolean },
  ),
  async handle({ feedback, ...args }, gateway) {
    if (feedback !== undefined) await gateway.judge?.(feedback ? 'useful' : 'wrong');
    return declaration.handle(args, gateway);
  },
});

/** The result without a budget of tokens: nothing of the hits is cut. */
export async function searchWhole(args: Arguments, gateway: Gateway) {
  const { answer, bundle } = await found({ ...args, detail: true }, gateway);
  return wholeResult(answer, args.filters !== undefined, bundle);
}

async function found(
  { query, top_k, cursor, filters, bundle, max_tokens, detail = false }: Arguments,
  gateway: Gateway,
): Promise<{ answer: FoundSkills; bundle?: BundleResult }> {
  const request = { query, limit: top_k, ...(filters !== undefined && { filter: filterOf(filters) }) };
  // A bundle has no pages, and browsing has no task to cover.
  if (bundle === true && cursor === undefined && query.trim() !== '') {
    const skills = await gateway.bundle({
      ...request,
      ...(max_tokens !== undefined && { maxTokens: max_tokens }),
    });
    return { answer: answerOf(skills), bundle: bundleOf(skills) };
  }
  const answer = await gateway.search({
    ...request,
    also: ALSO,
    ...(cursor !== undefined && { cursor }),
    explain: detail,
    excerpts: detail,
  });
  return { answer };
}

function filterOf({
  sources,
  tags,
  tools,
  has_scripts,
}: {
  sources?: string[] | undefined;
  tags?: string[] | undefined;
  tools?: string[] | undefined;
  has_scripts?: boolean | undefined;
}): NonNullable<SearchRequest['filter']> {
  return {
    ...(sources !== undefined && { sources }),
    ...(tags !== undefined && { tags }),
    ...(tools !== undefined && { tools }),
    ...(has_scripts !== undefined && { hasScripts: has_scripts }),
  };
}
