/** The tools that a search-first agent is given, in the order in which it needs them. Other dialects list their own. */

import { SEARCH_FIRST_WORDING } from '../instructions.ts';
import { listSkills } from './list-skills.ts';
import { loadSkill } from './load-skill.ts';
import type { ToolProfile } from './profile.ts';
import { readReference } from './read-reference.ts';
import { searchSkills } from './search-skills.ts';

export const SEARCH_FIRST: ToolProfile = {
  tools: [searchSkills, loadSkill, readReference, listSkills],
  wording: SEARCH_FIRST_WORDING,
};
