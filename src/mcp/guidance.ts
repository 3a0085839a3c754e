/**
 * The long guidance on working with skills: the prompt `init-skills`, and `skillgate instructions` for AGENTS.md and
 * similar files. It uses the same sentences as the server's instructions, without their budget.
 */

import type { CatalogSummary } from '../gateway/gateway.ts';
import {
  ANY_SKILLS,
  EMPTY,
  quoted,
  RULE,
  SEARCH_FIRST_WORDING,
  skillsOf,
  THEMES_LEAD,
  WHAT_IT_IS,
  type Wording,
} from './instructions.ts';
import { queryLanguage } from './languages.ts';
import { count } from './text.ts';

/** The element around the guidance in a file, so that it can be found and replaced. */
const TAG = 'skillgate';

/** Markdown of at most about 600 tokens, without a final newline. Deterministic for a summary. */
export function guidance(summary?: CatalogSummary, wording: Wording = SEARCH_FIRST_WORDING): string {
  if (summary?.skills === 0) return `# Agent Skills\n\n${EMPTY}`;
  const skills = summary === undefined ? ANY_SKILLS : skillsOf(summary);
  const steps = wording.steps.map((step, at) => `${at + 1}. ${step}`);
  const themes = (summary?.themes ?? []).map(
    ({ label, skills: size, samples }) =>
      `- ${quoted(label)} (about ${count(size)}): ${samples.map(quoted).join(', ')}`,
  );
  const language = summary === undefined ? '' : queryLanguage(summary);
  return [
    '# Agent Skills',
    WHAT_IT_IS(skills),
    steps.join('\n'),
    ...(language === '' ? [] : [language]),
    'Where these tools are not connected, the command line does the same: `skillgate search "what you want to do"`, `skillgate load <id>`, `skillgate read <id> <path>`.',
    RULE,
    ...(themes.length === 0 ? [] : [`${THEMES_LEAD}\n\n${themes.join('\n')}`]),
  ].join('\n\n');
}

/** The guidance in its element. Labels have no angle brackets, so nothing in it closes the element. */
export const wrapped = (text: string) => `<${TAG}>\n${text}\n</${TAG}>`;
