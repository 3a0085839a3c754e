/** Every tool profile by the name that `--tools` takes. */

import type { OpenScripts } from '../script-run.ts';
import type { ToolProfile } from './profile.ts';
import { withRunScript } from './run-script.ts';
import { SEARCH_FIRST } from './search-first.ts';
import { SKILL_ENGINE, skillEngineWith } from './skill-engine.ts';
import { SKILLS_MCP } from './skills-mcp.ts';

export const PROFILE_NAMES = ['search-first', 'skills-mcp', 'skill-engine'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const PROFILES: Readonly<Record<ProfileName, ToolProfile>> = {
  'search-first': SEARCH_FIRST,
  'skills-mcp': SKILLS_MCP,
  'skill-engine': SKILL_ENGINE,
};

/**
 * A profile as it is where scripts are run. skills-mcp knows of none: its agents have tools of their own.
 * `reaches`: whether scripts may reach any domain.
 */
export function profileWithScripts(name: ProfileName, scripts: OpenScripts, reaches: boolean): ToolProfile {
  if (name === 'search-first') return withRunScript(SEARCH_FIRST, scripts, reaches);
  return name === 'skill-engine' ? skillEngineWith(scripts, reaches) : PROFILES[name];
}
