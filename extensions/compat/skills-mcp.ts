/**
 * The profile with list_skills and get_skill: an agent reads the list and opens files by their absolute paths with its
 * own tools.
 */

import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { CatalogEntry, Gateway, ToolProfile } from '../../src/app/extension-api.ts';
import { clip, quote, toJson } from '../../src/base/text.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { DESCRIPTION_CHARACTERS, skillLocation } from '../../src/mcp/available-skills.ts';
import type { Wording } from '../../src/mcp/instructions.ts';
import { type Answer, declareTool } from '../../src/mcp/tool.ts';
import { toolArguments } from '../../src/mcp/tools/arguments.ts';
import { readReference } from '../../src/mcp/tools/read-reference.ts';
import { toolsResult } from '../../src/mcp/tools/upstream-tools.ts';
import { loadAsWritten } from './drafts/files.ts';

/** Skills per page. Agents of this profile expect no pages, so small catalogs fit into the first. */
const PAGE = 200;
/** Characters of all descriptions of a page, about 10,000 tokens: pages get shorter, descriptions do not. */
const PAGE_CHARACTERS = 40_000;

const WORDING: Wording = {
  steps: [
    'Before you begin any task, call list_skills, page by page where it says so, and see whether a description fits; never guess a skill.',
    "If one fits, call get_skill with its id and follow its content before you act. Files that it names are next to the skill file, whose path is given: open them with your own tools, inside the skill's folder only, or with read_reference.",
    'If none fits, go on without one. Check again when the task changes.',
  ],
  takesQuery: false,
  search: (skills) =>
    `Lists ${skills} by id. Call this before you begin a task, then get_skill with the id of the one whose description fits.`,
  advice: {
    SKILL_UNKNOWN: 'Call list_skills, and use an id that it gives.',
    SKILL_GONE: 'Call list_skills again: the catalog has changed.',
    PATH_UNKNOWN: 'Call again with a path that the skill names.',
    PATH_REFUSED: "Use a path inside the skill's folder.",
    TOOL_REFUSED: 'Give a server and a tool that a loaded skill names.',
    MORE_CANDIDATES: 'list_skills tells them apart',
  },
};

const listSchema = z.object({
  skills: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  total: z.int(),
  next_cursor: z.string().optional(),
});

const listSkills = declareTool({
  name: 'list_skills',
  title: 'List skills',
  description: ({ search }) => search,
  input: toolArguments({ cursor: z.string().optional().describe('next_cursor of the last page') }),
  result: listSchema,
  async handle({ cursor }, gateway) {
    const whole = await gateway.list({ limit: PAGE, cursor });
    const fitting = countFitting(whole.entries);
    const page = fitting < whole.entries.length ? await gateway.list({ limit: fitting, cursor }) : whole;
    return inJson({
      skills: page.entries.map(({ id, name, description }) => ({
        id,
        name,
        description: clip(description, DESCRIPTION_CHARACTERS),
      })),
      total: page.total,
      next_cursor: page.nextCursor,
    });
  },
});

/** How many of the skills fit into a page, at least one. */
function countFitting(entries: readonly CatalogEntry[]): number {
  let characters = 0;
  const over = entries.findIndex(({ description }) => {
    characters += Math.min(description.length, DESCRIPTION_CHARACTERS);
    return characters > PAGE_CHARACTERS;
  });
  return over === -1 ? entries.length : Math.max(1, over);
}

/** Clients of this profile parse the text. */
const inJson = <Result extends object>(structured: Result): Answer<Result> => ({
  structured,
  content: [{ type: 'text', text: toJson(structured) }],
});

const skillSchema = z.object({
  path: z.string().describe('Absolute path of the skill file'),
  name: z.string(),
  description: z.string(),
  content: z.string().describe('The instructions, without front matter'),
  uncovered: z.array(z.string()).optional().describe('Named tools that no server here offers'),
  upstream_tools: z.looseObject({}).optional(),
});

const getSkill = declareTool({
  name: 'get_skill',
  title: 'Get skill',
  description: 'Gives the instructions of a skill, to be followed, and the absolute path of its file.',
  input: toolArguments({
    id: z.string().min(1, 'must name a skill').describe('Id, as list_skills gives it, or absolute path'),
  }),
  result: skillSchema,
  async handle({ id }, gateway) {
    const skill = isAbsolute(id) ? await idAt(id, gateway) : id;
    if (RELATIVE.test(skill))
      throw new GatewayError(
        'REQUEST_INVALID',
        `\`id\` is ${quote(clip(id, 120))}, a relative path without a known base. Give the id or the absolute path.`,
      );
    const { entry, instructions, tools, uncovered } = await loadAsWritten(gateway, skill);
    const { name, description } = entry;
    return inJson({
      path: skillLocation(entry),
      name,
      description: clip(description, DESCRIPTION_CHARACTERS),
      content: instructions.text,
      ...(uncovered !== undefined && { uncovered: [...uncovered] }),
      upstream_tools: tools && toolsResult(tools),
    });
  },
});

/** `.`, `./x`, `../x`, `~/x`, `x/SKILL.md`, `x/`: no id has these forms. */
const RELATIVE = /^(?:\.{1,2}|~)(?:\/|$)|^(?!skill:\/\/).*\/(?:SKILL\.md)?$/;

/** The id of the skill whose folder or file is at an absolute path: ids end like the paths of their folders. */
async function idAt(path: string, gateway: Gateway): Promise<string> {
  const folder = path.replace(/\/+$/, '').replace(/\/SKILL\.md$/i, '');
  const segments = folder.split('/').filter(Boolean);
  for (let from = segments.length - 1; from >= 0; from -= 1) {
    const skill = segments.slice(from).join('/');
    const entry = await gateway.find({ skill }).then(
      (found) => found.entry,
      (error: unknown) => {
        if (error instanceof GatewayError) return null;
        throw error;
      },
    );
    if (entry?.folder === folder) return entry.id;
  }
  throw new GatewayError('SKILL_UNKNOWN', `No skill is at ${quote(clip(path, 300))}.`);
}

export const SKILLS_MCP: ToolProfile = { tools: [listSkills, getSkill, readReference], wording: WORDING };
