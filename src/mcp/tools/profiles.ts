/** Every tool profile, by its name in `--tools`. */

import { SKILL_ENGINE, skillEngineWith } from '../../../extensions/compat/skill-engine.ts';
import { SKILLS_MCP } from '../../../extensions/compat/skills-mcp.ts';
import { runScript } from '../../../extensions/scripts/mcp/run-script.ts';
import type { OpenScripts } from '../../../extensions/scripts/mcp/script-run.ts';
import { SEARCH_FIRST_WORDING } from '../instructions.ts';
import { listSkills } from './list-skills.ts';
import { loadSkill } from './load-skill.ts';
import { type ToolProfile, withTool } from './profile.ts';
import { readReference } from './read-reference.ts';
import { searchSkills } from './search-skills.ts';

export const PROFILE_NAMES = ['search-first', 'skills-mcp', 'skill-engine'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** The default: search by intent, then load one skill. */
export const SEARCH_FIRST: ToolProfile = {
  tools: [searchSkills, loadSkill, readReference, listSkills],
  wording: SEARCH_FIRST_WORDING,
};

export const PROFILES: Readonly<Record<ProfileName, ToolProfile>> = {
  'search-first': SEARCH_FIRST,
  'skills-mcp': SKILLS_MCP,
  'skill-engine': SKILL_ENGINE,
};

/**
 * The profile of a server that runs scripts. skills-mcp has no script tool: its agents have tools of their own.
 * `reaches`: whether scripts may reach any domain.
 */
export function profileWithScripts(name: ProfileName, scripts: OpenScripts, reaches: boolean): ToolProfile {
  if (name === 'search-first') return withTool(SEARCH_FIRST, runScript(scripts, reaches));
  return name === 'skill-engine' ? skillEngineWith(scripts, reaches) : PROFILES[name];
}
