/** list_skills: the catalog page by page. */

import * as z from 'zod';
import { bare, clip, count, counted } from '../text.ts';
import { declareTool } from '../tool.ts';
import { asGiven, asNumber, toolArguments, wholeNumber } from './arguments.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Characters of a description: a page of 50 takes about 2,000 tokens. */
const DESCRIPTION_CHARACTERS = 110;

const resultSchema = z.object({
  total: z.number(),
  skills: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  next_cursor: z.string().optional(),
});

type ListResult = z.infer<typeof resultSchema>;

export const listSkills = declareTool({
  name: 'list_skills',
  title: 'List skills',
  description: 'Lists all skills by id, page by page. To find one for a task, search instead.',
  input: toolArguments(
    {
      cursor: z.string().optional().describe('next_cursor of the last page'),
      limit: wholeNumber(1, MAX_LIMIT).default(DEFAULT_LIMIT).describe('Skills per page'),
    },
    { cursor: asGiven, limit: asNumber },
  ),
  result: resultSchema,
  async handle({ cursor, limit }, gateway) {
    const page = await gateway.list({ limit, cursor });
    const result: ListResult = {
      total: page.total,
      skills: page.entries.map(({ id, name, description }) => ({
        id,
        name: clip(name, 80),
        description: clip(description, DESCRIPTION_CHARACTERS),
      })),
      next_cursor: page.nextCursor,
    };
    return { structured: result, content: [{ type: 'text', text: textOf(result) }] };
  },
});

function textOf({ total, skills, next_cursor }: ListResult): string {
  return [
    `${count(skills.length)} of ${counted(total, 'skill')}, in order of id:`,
    ...skills.map(({ id, name, description }) => {
      const named = id.endsWith(name) ? '' : ` (${name})`;
      return `- ${bare(id)}${named}: ${description}`;
    }),
    ...(next_cursor === undefined ? [] : [`next_cursor: ${next_cursor}`]),
  ].join('\n');
}
