/**
 * The long texts on working with skills: `skillgate instructions` for AGENTS.md and similar files, in the sentences of the
 * server's instructions without their budget, and the prompt `init-skills`.
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
import { pinnedLine } from './pinned-line.ts';
import { count } from './text.ts';

/** The element around the guidance in a file, so that it can be found and replaced. */
const TAG = 'skillgate';

const COMMANDS =
  'Where these tools are not connected, the command line does the same: `skillgate search "what you want to do"`, `skillgate load <id>`, `skillgate read <id> <path>`.';

/** Themes that are named, the largest. */
const MAX_THEMES = 8;

/** Markdown of at most about 600 tokens, without a final newline. Deterministic for a summary. */
export function guidance(summary?: CatalogSummary, { steps }: Wording = SEARCH_FIRST_WORDING): string {
  if (summary?.skills === 0) return `# Agent Skills\n\n${EMPTY}`;
  const language = summary === undefined ? '' : queryLanguage(summary);
  return textOf(summary, [
    steps.map((step, at) => `${at + 1}. ${step}`).join('\n'),
    ...(language === '' ? [] : [language]),
  ]);
}

/** The same for a user who asks what there is: it describes the tools and gives no orders. */
export function overview(summary: CatalogSummary, wording: Wording): string {
  return summary.skills === 0
    ? '# Agent Skills\n\nskillgate has no skills yet.'
    : textOf(summary, [wording.overview]);
}

function textOf(summary: CatalogSummary | undefined, middle: readonly string[]): string {
  const themes = (summary?.themes ?? [])
    .slice(0, MAX_THEMES)
    .map(
      ({ label, skills: size, samples }) =>
        `- ${quoted(label)} (about ${count(size)}): ${samples.map(quoted).join(', ')}`,
    );
  return [
    '# Agent Skills',
    WHAT_IT_IS(summary === undefined ? ANY_SKILLS : skillsOf(summary)),
    ...middle,
    COMMANDS,
    RULE,
    ...[pinnedLine(summary?.pinned) ?? []].flat(),
    ...(themes.length === 0 ? [] : [`${THEMES_LEAD}\n\n${themes.join('\n')}`]),
  ].join('\n\n');
}

/** The guidance in its element. Labels have no angle brackets, so nothing in it closes the element. */
export const wrapped = (text: string) =>
  text === '' ? `<${TAG}>\n</${TAG}>` : `<${TAG}>\n${text}\n</${TAG}>`;
