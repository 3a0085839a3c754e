/** A skill's first passage: what it is called and what it is for, as an agent would be told. */

import type { Passage } from '#index';
import type { Skill } from '../skills/skill.ts';

/** `seo-audit_v2` → `seo audit v2`: an embedding knows words, not identifiers. */
export function nameWords(name: string): string {
  return name.replace(/[-_]+/g, ' ').trim() || name;
}

/** The name and, where it says something else, the title. */
export function nameAndTitle({ name, title }: Skill): string {
  const words = nameWords(name);
  const same = title === undefined || title.toLowerCase() === words.toLowerCase();
  return same ? words : `${words} ${title}`;
}

/** The skill's own words make the text; its lines are those of the front matter, or the first where it has none. */
export function cardOf(skill: Skill, path: string): Passage {
  const { description, tags, bodyLine } = skill;
  const text = `${nameAndTitle(skill)}: ${description}`;
  return {
    kind: 'card',
    path,
    heading: [],
    lines: [1, Math.max(1, bodyLine - 1)],
    title: '',
    text: tags.length === 0 ? text : `${text}\n${tags.join(', ')}`,
  };
}
