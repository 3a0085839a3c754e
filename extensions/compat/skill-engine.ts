/**
 * The profile with list_skills(limit, offset), search_skills(query, top_k) and execute(skill_name, tool_name,
 * parameters), and with load_skill and read_reference, because a client may have no files. `execute` refuses if the server
 * runs no scripts.
 */

import * as z from 'zod';
import type { CatalogEntry, ScriptTools, ToolProfile } from '../../src/app/extension-api.ts';
import { bare, clip, count, counted } from '../../src/base/text.ts';
import { DESCRIPTION_CHARACTERS, skillLocation } from '../../src/mcp/available-skills.ts';
import { executionDisabled } from '../../src/mcp/errors.ts';
import { foreignHint, type Wording } from '../../src/mcp/instructions.ts';
import { declareTool } from '../../src/mcp/tool.ts';
import { toolArguments, wholeNumber } from '../../src/mcp/tools/arguments.ts';
import { loadSkill } from '../../src/mcp/tools/load-skill.ts';
import { readReference } from '../../src/mcp/tools/read-reference.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const DEFAULT_TOP_K = 10;
const MAX_TOP_K = 50;

const wordingWith = (execute: string): Wording => ({
  overview: `search_skills finds the skills for a task that is described in words. load_skill gives the instructions of one and lists its files, read_reference opens these files. list_skills gives the whole catalog, page by page. ${execute}`,
  steps: [
    'Before you begin any task, call search_skills with what you are about to do; never guess the name of a skill.',
    `If a hit fits, call load_skill with its skill_name and follow it before you act; open files that it names with read_reference. ${execute}`,
    'If the answer says that no skill fits, go on without one. Search again when the task changes.',
  ],
  search: (skills) => `Finds the skill for a task by intent among ${skills}. \
ALWAYS call this before you begin a task, and again when it changes. \
Then call load_skill with the skill_name of the hit that fits.`,
});

const skillSchema = z.object({
  skill_name: z.string().describe('What the other tools take'),
  description: z.string(),
  path: z.string().describe('Absolute path of the skill file'),
  uri: z.string().describe('The same file as a resource'),
  tools: z.array(z.string()).describe('Its scripts'),
});

const listSchema = z.object({
  skills: z.array(skillSchema),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

const listSkills = declareTool({
  name: 'list_skills',
  title: 'List skills',
  description: 'Lists all skills, page by page. To find one for a task, search instead.',
  input: toolArguments({
    limit: wholeNumber(1, MAX_LIMIT).default(DEFAULT_LIMIT).describe('Skills per page'),
    offset: wholeNumber(0, 1_000_000_000).default(0).describe('Skills to skip'),
  }),
  result: listSchema,
  async handle({ limit, offset }, gateway) {
    const page = await gateway.list({ limit, offset });
    const skills = page.entries.map(toEngineSkill);
    const head = `${count(skills.length)} of ${counted(page.total, 'skill')}, from position ${count(offset)}:`;
    return {
      structured: { skills, total: page.total, limit, offset },
      content: [{ type: 'text', text: [head, ...skills.map(formatSkill)].join('\n') }],
    };
  },
});

const searchSchema = z.object({
  query: z.string(),
  weak: z.boolean().describe('No skill seems to fit'),
  skills: z.array(skillSchema.extend({ score: z.number().describe('0–1, comparable within this answer') })),
});

const searchSkills = declareTool({
  name: 'search_skills',
  title: 'Search skills',
  description: ({ search }) => search,
  input: toolArguments({
    query: z.string().describe('What you want to do, in your own words'),
    top_k: wholeNumber(1, MAX_TOP_K).default(DEFAULT_TOP_K).describe('Most hits to return'),
  }),
  result: searchSchema,
  async handle({ query, top_k }, gateway) {
    const answer = await gateway.search({ query, limit: top_k });
    const skills = answer.hits.map(({ entry, score }) => ({
      ...toEngineSkill(entry),
      score: Math.round(score * 1_000) / 1_000,
    }));
    const why = answer.foreign === undefined ? '' : `${foreignHint(answer.foreign)} `;
    const verdict = answer.weak
      ? 'No skill seems to fit. These are only the nearest:'
      : `${counted(skills.length, 'skill')}, best first:`;
    const head = `${why}${verdict}`;
    return {
      structured: { query: clip(answer.query, 120), weak: answer.weak, skills },
      content: [{ type: 'text', text: [head, ...skills.map(formatSkill)].join('\n') }],
    };
  },
});

/** Hosts put the server's name in front of names. */
function withoutPrefix(name: unknown): unknown {
  return typeof name === 'string' ? name.replace(/^skill-engine\//, '') : name;
}

const executeArguments = toolArguments(
  {
    skill_name: z.string().min(1, 'must name a skill').describe('As the other tools give it'),
    tool_name: z.string().min(1, 'must name a script').describe('Path of the script in the skill'),
    parameters: z
      .looseObject({}, 'must be an object; {} for none')
      .describe('What the script is given; {} for nothing'),
  },
  { skill_name: withoutPrefix, tool_name: withoutPrefix },
);

const refusingExecute = declareTool({
  name: 'execute',
  title: 'Execute',
  description: 'Runs a script of a skill. Not enabled on this server: it answers with a refusal.',
  input: executeArguments,
  result: z.object({}),
  async handle({ skill_name, tool_name }) {
    throw executionDisabled(skill_name, tool_name);
  },
});

const scriptExecute = (scripts: ScriptTools) =>
  scripts.tool({
    name: 'execute',
    title: 'Execute',
    description:
      "Runs a script of a skill in a sandbox: no network but domains that were granted, no files but the skill's (read-only, at /skill) and those that you pass.",
    input: executeArguments,
    outputFirst: true,
    requestOf: ({ skill_name, tool_name, parameters }) => ({
      skill: skill_name,
      script: tool_name.startsWith(`${skill_name}/`) ? tool_name.slice(skill_name.length + 1) : tool_name,
      values: parameters,
    }),
  });

type EngineSkill = z.infer<typeof skillSchema>;

/** `skill_name` holds the id: ids are unique, and the gateway accepts ids and names. */
function toEngineSkill(entry: CatalogEntry): EngineSkill {
  const { id, description, uri, scripts } = entry;
  const tools = scripts.slice(0, 20);
  return {
    skill_name: id,
    description: clip(description, DESCRIPTION_CHARACTERS),
    path: skillLocation(entry),
    uri,
    tools,
  };
}

function formatSkill({ skill_name, description, path, uri, tools }: EngineSkill): string {
  return [
    `- ${bare(skill_name)}: ${description}`,
    `  path: ${bare(path)}`,
    `  uri: ${uri}`,
    ...(tools.length === 0 ? [] : [`  tools: ${tools.map(bare).join(', ')}`]),
  ].join('\n');
}

/** `scripts` where the server runs scripts. */
export const skillEngine = (scripts: ScriptTools | undefined): ToolProfile => ({
  prefix: 'skill-engine/',
  tools: [
    searchSkills,
    loadSkill,
    readReference,
    listSkills,
    scripts === undefined ? refusingExecute : scriptExecute(scripts),
  ],
  wording: wordingWith(
    scripts === undefined
      ? 'execute runs nothing on this server.'
      : 'execute runs one of its scripts in a sandbox.',
  ),
});
