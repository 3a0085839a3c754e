/** A tool profile: the tools that a server offers, and the texts that describe them. */

import { SEARCH_FIRST_WORDING, type Wording } from '../instructions.ts';
import type { Tool } from '../tool.ts';
import { listSkills } from './list-skills.ts';
import { loadSkill } from './load-skill.ts';
import { readReference } from './read-reference.ts';
import { searchSkills } from './search-skills.ts';

export interface ToolProfile {
  /** In the order in which an agent needs them. */
  readonly tools: readonly Tool[];
  readonly wording: Wording;
  /** Before the names of tools in calls of clients that write the server's name there. */
  readonly prefix?: string;
}

/** The default: search by intent, then load one skill. Others are added by extensions. */
export const SEARCH_FIRST: ToolProfile = {
  tools: [searchSkills, loadSkill, readReference, listSkills],
  wording: SEARCH_FIRST_WORDING,
};

/** The tools of all profiles. */
export const OWN_TOOLS: ReadonlySet<string> = new Set([
  'search_skills',
  'load_skill',
  'read_reference',
  'list_skills',
  'get_skill',
  'execute',
  'run_script',
  'use_tool',
]);

/** The profile with one more tool at the end. */
export const withTool = (profile: ToolProfile, tool: Tool): ToolProfile => ({
  ...profile,
  tools: [...profile.tools, tool],
});
