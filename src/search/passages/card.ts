/** A skill's first passage: its name and purpose, in the words that an agent would read. */

import type { Passage } from '../../../index/passage.ts';
import type { Skill } from '../../skills/skill.ts';

/** `seo-audit_v2` → `seo audit v2`: an embedding knows words, not identifiers. */
export function nameWords(name: string): string {
  return name.replace(/[-_]+/g, ' ').trim() || name;
}

/** The name, and the title if it differs. */
export function nameAndTitle({ name, title }: Pick<Skill, 'name' | 'title'>): string {
  const words = nameWords(name);
  const same = title === undefined || title.toLowerCase() === words.toLowerCase();
  return same ? words : `${words} ${title}`;
}

/** The fields of a skill that its card contains. */
type CardParts = Pick<Skill, 'name' | 'title' | 'description' | 'tags'>;

/** The text of the card, as it is embedded. */
export function cardText(skill: CardParts): string {
  const text = `${nameAndTitle(skill)}: ${skill.description}`;
  return skill.tags.length === 0 ? text : `${text}\n${skill.tags.join(', ')}`;
}

/** The two short lexical fields. */
export function cardFields(skill: CardParts): { readonly name: string; readonly description: string } {
  return { name: nameAndTitle(skill), description: [skill.description, ...skill.tags].join(' ') };
}

/** The card's lines are those of the front matter, or the first line without one. */
export function cardOf(skill: Skill, path: string): Passage {
  return {
    kind: 'card',
    path,
    heading: [],
    lines: [1, Math.max(1, skill.bodyLine - 1)],
    title: '',
    text: cardText(skill),
  };
}

/** What a skill is not for, to the end of the sentence. */
export const NOT_FOR =
  /\b(?:not for|do not use|don't use|never use|not intended for|not to be used|does not cover|skip (?:this|when))\b[^.;\n]*/gi;

/** Facet of the skills whose description has such a clause: a search reads no other description for it. */
export const NOT_FOR_FACET = 'not-for:yes';
