/** How hosts write one skill into their lists, as seen in their requests, and what they count. */

import type { ListedSkill } from './listing.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** `- NAME: DESCRIPTION`, or the name alone. */
export const lineEntry = ({ name }: ListedSkill, description: string) =>
  description === '' ? `- ${name}\n` : `- ${name}: ${description}\n`;

/** `NAME: DESCRIPTION`, or the name alone. */
export const bareLineEntry = (skill: ListedSkill, description: string) =>
  lineEntry(skill, description).slice('- '.length);

/** The path begins with the short name of its root. */
export const shortPathEntry = ({ name }: ListedSkill, description: string) =>
  `- ${name}:${description === '' ? '' : ` ${description}`} (file: r0/${name}/SKILL.md)\n`;

/** Elements, with the path of the skill. */
export const pathEntry = ({ name, file = '' }: ListedSkill, description: string) =>
  `  <skill>\n    <name>${name}</name>\n    <description>${description}</description>\n    <location>${file}</location>\n  </skill>\n`;

/** Elements, with whose skill it is. */
export const scopeEntry = ({ name }: ListedSkill, description: string) =>
  `<skill>\n  <name>${name}</name>\n  <description>${escaped(description)}</description>\n  <location>user</location>\n</skill>\n`;

/** Elements whose texts have lines of their own. */
export const spacedEntry = ({ name }: ListedSkill, description: string) =>
  `<skill>\n<name>\n${name}\n</name>\n<description>\n${escaped(description)} (user)\n</description>\n<location>\nuser\n</location>\n</skill>\n`;

/** Elements as `pathEntry`, with signs of XML escaped. */
export const escapedPathEntry = (skill: ListedSkill, description: string) =>
  pathEntry(skill, escaped(description));

/** Lines with a comma between them. */
export const commaEntry = ({ name }: ListedSkill, description: string) =>
  `\nname: ${name}\ndescription: ${description}\n,`;

export const nameEntry = ({ name }: ListedSkill) => `${name}, `;

/** Columns of a terminal: characters of East Asian scripts take two. */
export function columns(text: string): number {
  const wide = text.match(
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g,
  );
  return text.length + (wide?.length ?? 0);
}

/** Tokens of a line, as Codex counts them: by bytes, rounded up. */
export const roundedTokens = (line: string) => Math.ceil(Buffer.byteLength(line) / 4);

/** The names that fit into a line of that many characters, and how many more there are. */
export function namesLine(lead: string, names: readonly string[], most: number): string {
  let line = '';
  for (const [at, name] of names.entries()) {
    const longer = at === 0 ? `${lead}${name}` : `${line}, ${name}`;
    if (longer.length > most) return `${line}... and ${names.length - at} more\n`;
    line = longer;
  }
  return `${line}\n`;
}
