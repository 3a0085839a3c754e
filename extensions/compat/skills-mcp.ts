/**
 * The profile with list_skills and get_skill: an agent reads the list and opens files by their absolute paths with its
 * own tools.
 */

import * as z from 'zod';
import { locationOf } from '../../src/mcp/available-skills.ts';
import type { Wording } from '../../src/mcp/instructions.ts';
import { bare, clip, count, counted } from '../../src/mcp/text.ts';
import { declareTool } from '../../src/mcp/tool.ts';
import { asGiven, toolArguments } from '../../src/mcp/tools/arguments.ts';
import type { ToolProfile } from '../../src/mcp/tools/profile.ts';
import { readReference } from '../../src/mcp/tools/read-reference.ts';
import { toolsResult, toolsText, uncoveredText } from '../../src/mcp/tools/upstream-tools.ts';
import { loadWhole } from '../../src/mcp/whole-text.ts';

/** Skills per page. Agents of this profile expect no pages, so small catalogs fit into the first. */
const PAGE = 200;
const DESCRIPTION_CHARACTERS = 200;

const WORDING: Wording = {
  steps: [
    'Before you begin any task, call list_skills, page by page where it says so, and see whether a description fits; never guess a skill.',
    "If one fits, call get_skill with its id and follow its content before you act. Files that it names are next to the skill file, whose path is given: open them with your own tools, inside the skill's folder only, or with read_reference.",
    'If none fits, go on without one. Check again when the task changes.',
  ],
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
  input: toolArguments(
    { cursor: z.string().optional().describe('next_cursor of the last page') },
    { cursor: asGiven },
  ),
  result: listSchema,
  async handle({ cursor }, gateway) {
    const page = await gateway.list({ limit: PAGE, cursor });
    const result: z.infer<typeof listSchema> = {
      skills: page.entries.map(({ id, name, description }) => ({
        id,
        name: clip(name, 80),
        description: clip(description, DESCRIPTION_CHARACTERS),
      })),
      total: page.total,
      next_cursor: page.nextCursor,
    };
    const lines = [
      `${count(result.skills.length)} of ${counted(result.total, 'skill')}, in order of id:`,
      ...result.skills.map(({ id, name, description }) => `- ${bare(id)} (${name}): ${description}`),
      ...(result.next_cursor === undefined ? [] : [`next_cursor: ${result.next_cursor}`]),
    ];
    return { structured: result, content: [{ type: 'text', text: lines.join('\n') }] };
  },
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
    id: z.string().min(1, 'must name a skill').describe('Id of the skill, as list_skills gives it'),
  }),
  result: skillSchema,
  async handle({ id }, gateway) {
    const { entry, instructions, tools, uncovered } = await loadWhole(gateway, id);
    const upstream = tools && toolsResult(tools);
    const path = locationOf(entry);
    const { name, description } = entry;
    return {
      structured: {
        path,
        name,
        description,
        content: instructions.text,
        ...(uncovered !== undefined && { uncovered: [...uncovered] }),
        upstream_tools: upstream,
      },
      // Two blocks: the author's text cannot pass for the gateway's.
      content: [
        { type: 'text', text: `${clip(name, 80)}: ${clip(description, 1_024)}\npath: ${bare(path)}` },
        { type: 'text', text: instructions.text },
        ...(uncovered === undefined ? [] : [{ type: 'text' as const, text: uncoveredText(uncovered) }]),
        ...(upstream === undefined ? [] : [{ type: 'text' as const, text: toolsText(upstream) }]),
      ],
    };
  },
});

export const SKILLS_MCP: ToolProfile = { tools: [listSkills, getSkill, readReference], wording: WORDING };
