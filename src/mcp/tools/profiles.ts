/** Every tool profile by the name that `--tools` takes. */

import type { ToolProfile } from './profile.ts';
import { SEARCH_FIRST } from './search-first.ts';
import { SKILL_ENGINE } from './skill-engine.ts';
import { SKILLS_MCP } from './skills-mcp.ts';

export const PROFILE_NAMES = ['search-first', 'skills-mcp', 'skill-engine'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const PROFILES: Readonly<Record<ProfileName, ToolProfile>> = {
  'search-first': SEARCH_FIRST,
  'skills-mcp': SKILLS_MCP,
  'skill-engine': SKILL_ENGINE,
};
