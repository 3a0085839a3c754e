/** list_skills: the catalog page by page. */

import * as z from 'zod';
import { bare, clip, count, counted } from '../../base/text.ts';
import type { SkillPage } from '../../gateway/gateway.ts';
import { declareTool } from '../tool.ts';
import { toolArguments, wholeNumber } from './arguments.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Characters of a description: a page of 50 takes about 2,000 tokens. */
const DESCRIPTION_CHARACTERS = 110;

export interface ListOptions {
  /** `next_cursor` of the last page. */
  readonly cursor?: string;
  /** Skills per page, 1–200. Default 50. */
  readonly limit?: number;
}

export interface ListResult {
  readonly total: number;
  readonly skills: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly uri: string;
    readonly source: string;
    readonly folder: string;
  }[];
  readonly next_cursor?: string;
}

const resultSchema = z.object({
  total: z.number(),
  skills: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  next_cursor: z.string().optional(),
});

export const listSkills = declareTool({
  name: 'list_skills',
  title: 'List skills',
  description: 'Lists all skills by id, page by page. To find one for a task, search instead.',
  input: toolArguments({
    cursor: z.string().optional().describe('next_cursor of the last page'),
    limit: wholeNumber(1, MAX_LIMIT).default(DEFAULT_LIMIT).describe('Skills per page'),
  }),
  result: resultSchema,
  async handle({ cursor, limit }, gateway) {
    const page = await gateway.list({ limit, cursor });
    const result: z.infer<typeof resultSchema> = {
      total: page.total,
      skills: page.entries.map(({ id, name, description }) => ({
        id,
        name: clip(name, 80),
        description: clip(description, DESCRIPTION_CHARACTERS),
      })),
      next_cursor: page.nextCursor,
    };
    return { structured: result, content: [{ type: 'text', text: formatList(result) }] };
  },
});

/** The page for programs and the command line, with nothing cut. */
export const listResult = ({ total, entries, nextCursor }: SkillPage): ListResult => ({
  total,
  skills: entries.map(({ id, name, description, uri, source, folder }) => ({
    id,
    name,
    description,
    uri,
    source,
    folder,
  })),
  next_cursor: nextCursor,
});

function formatList({ total, skills, next_cursor }: z.infer<typeof resultSchema>): string {
  return [
    `${count(skills.length)} of ${counted(total, 'skill')}, in order of id:`,
    ...skills.map(({ id, name, description }) => {
      const named = id.endsWith(name) ? '' : ` (${name})`;
      return `- ${bare(id)}${named}: ${description}`;
    }),
    ...(next_cursor === undefined ? [] : [`next_cursor: ${next_cursor}`]),
  ].join('\n');
}
