/** The default tool profile: search by intent, then load one skill. Others are added by extensions. */

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
