/**
 * Guidance on working with skills, for people and files that ask for it: the prompt `init-skills` and `skillgate
 * instructions`, for AGENTS.md and the like. It says at length what the server's instructions say within their
 * budget, from the same sentences.
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
import { count } from './text.ts';

/** The element around the guidance in a file: what stands inside it can be found again and replaced. */
const TAG = 'skillgate';

/** Markdown of at most some 600 tokens, without a line end at its end. The same summary gives the same text. */
export function guidance(summary?: CatalogSummary, wording: Wording = SEARCH_FIRST_WORDING): string {
  if (summary?.skills === 0) return `# Agent Skills\n\n${EMPTY}`;
  const skills = summary === undefined ? ANY_SKILLS : skillsOf(summary);
  const steps = wording.steps.map((step, at) => `${at + 1}. ${step}`);
  const themes = (summary?.themes ?? []).map(
    ({ label, skills: size, samples }) =>
      `- ${quoted(label)} (about ${count(size)}): ${samples.map(quoted).join(', ')}`,
  );
  return [
    '# Agent Skills',
    WHAT_IT_IS(skills),
    steps.join('\n'),
    'Where these tools are not connected, the command line does the same: `skillgate search "what you want to do"`, `skillgate load <id>`, `skillgate read <id> <path>`.',
    RULE,
    ...(themes.length === 0 ? [] : [`${THEMES_LEAD}\n\n${themes.join('\n')}`]),
  ].join('\n\n');
}

/** The guidance in its element. Nothing in it closes the element: labels come without angle brackets. */
export const wrapped = (text: string) => `<${TAG}>\n${text}\n</${TAG}>`;
