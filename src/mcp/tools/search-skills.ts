/** search_skills: from a task in words to the skills that fit. */

import * as z from 'zod';
import type { FoundSkills, Gateway } from '../../gateway/gateway.ts';
import type { SearchRequest } from '../../search/answer.ts';
import type { Guide } from '../instructions.ts';
import { type Answer, declareTool } from '../tool.ts';
import { knownFields, toolArguments, wholeNumber } from './arguments.ts';
import { type AgentResult, ALSO, USUAL_HITS } from './search-result.ts';

const MAX_TOP_K = 50;

const argumentsSchema = toolArguments({
  query: z.string().describe('One task: what you want to do; empty browses'),
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
  detail: z.boolean().optional().describe('Adds evidence, score parts, descriptions, copies'),
});

const hitSchema = z.object({
  id: z.string(),
  line: z.string(),
  needs: z.array(z.string()).optional(),
  copies: z.number().optional(),
  at: z.string().optional().describe('file:lines that match'),
  detail: z.looseObject({}).optional(),
});

/** Details are open, to keep the list of tools short. */
const resultSchema = z.object({
  verdict: z.string(),
  weak: z.boolean(),
  fit: z.number().optional(),
  note: z.string().optional(),
  hits: z.array(hitSchema),
  also: z.array(z.string()).optional().describe('Next ids'),
  next_cursor: z.string().optional(),
  search: z.looseObject({}).optional(),
});

type Arguments = z.infer<typeof argumentsSchema>;

export const searchSkills = declareTool({
  name: 'search_skills',
  title: 'Search skills',
  description: (guide: Guide) => guide.search,
  input: argumentsSchema,
  result: resultSchema,
  // Hosts that defer tools until they are searched for would never find the skills.
  meta: { 'anthropic/alwaysLoad': true },
  async handle(args: Arguments, gateway: Gateway): Promise<Answer<AgentResult>> {
    const answer = await found(args, gateway);
    const { top_k, filters, detail = false } = args;
    // Loaded by the first search: with the rules of languages it is a third of a server's code.
    const { answerWithin, withoutTail } = await import('./search-answer.ts');
    const shown = detail ? answer : withoutTail(answer, top_k);
    const { result, text } = answerWithin(shown, { filtered: filters !== undefined, detail });
    return { structured: result, content: [{ type: 'text', text }] };
  },
});

/** The result without a budget of tokens: nothing of the hits is cut. */
export async function searchWhole(args: Arguments, gateway: Gateway) {
  const answer = await found({ ...args, detail: true }, gateway);
  const { wholeResult } = await import('./search-answer.ts');
  return wholeResult(answer, args.filters !== undefined);
}

const found = (
  { query, top_k, cursor, filters, detail = false }: Arguments,
  gateway: Gateway,
): Promise<FoundSkills> =>
  gateway.search({
    query,
    limit: top_k,
    ...(filters !== undefined && { filter: toFilter(filters) }),
    also: ALSO,
    cursor,
    explain: detail,
    excerpts: detail,
  });

const toFilter = ({
  sources,
  tags,
  tools,
  has_scripts,
}: NonNullable<Arguments['filters']>): NonNullable<SearchRequest['filter']> => ({
  sources,
  tags,
  tools,
  hasScripts: has_scripts,
});
