/**
 * Builds a SKILL.md from its parts: the drafts send name, description and instructions separately, and the list of a server
 * has the front matter of a skill that is not read ahead.
 */

import { stringify } from 'yaml';
import { MCP_TOOLS_KEY } from '../../../src/skills/fields.ts';

export interface SkillParts {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** Strings by key; other values are left out. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tools: readonly string[];
}

/** Instructions with their own front matter are the whole file: some servers send them like that. */
export function skillText({ name, description, instructions, metadata, tools }: SkillParts): Uint8Array {
  if (/^\ufeff?---\r?\n/.test(instructions)) return Buffer.from(instructions, 'utf8');
  const kept = Object.entries(metadata).filter(([, value]) => typeof value === 'string');
  const all = Object.fromEntries([...kept, ...(tools.length > 0 ? [[MCP_TOOLS_KEY, tools.join(' ')]] : [])]);
  const head = { name, description, ...(Object.keys(all).length > 0 && { metadata: all }) };
  return encodeSkill(head, instructions);
}

/** What is indexed of a skill of which only the front matter is known. */
export const standInText = (frontmatter: { readonly name: string }): Uint8Array =>
  encodeSkill(frontmatter, `# ${frontmatter.name.replace(/\s+/g, ' ')}\n`);

function encodeSkill(frontmatter: object, body: string): Uint8Array {
  const options = { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const;
  return Buffer.from(`---\n${stringify(frontmatter, options)}---\n${body}`, 'utf8');
}
