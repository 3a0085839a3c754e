/**
 * A skill file as the protocol's Skills extension may serve it. Its rules: front matter that any host can read, with a name
 * of `a-z0-9-` and a description. A file that keeps them is served byte for byte, whatever else its author wrote. Of any
 * other file the front matter is completed, and the body stays as it is.
 */

import { hashBytes } from './digest.ts';
import { kebab } from './fields.ts';
import type { Skill } from './skill.ts';
import { isName } from './strict.ts';

/** Front matter as JSON. */
interface ServedFrontMatter {
  readonly name: string;
  readonly description: string;
  readonly [key: string]: unknown;
}

export interface ServedSkillFile {
  readonly bytes: Uint8Array;
  /** What a host reads from `bytes`. */
  readonly frontmatter: ServedFrontMatter;
  /** Ids of the diagnostics that made an adapted file necessary; empty if the file is served as it is. */
  readonly adapted: readonly string[];
}

/** Keys that every YAML reader takes for text. */
const PLAIN_KEY = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][\w-]*$/i;
/** Diagnostics of what the front matter needs, and those of them that every host can live with. */
const NEEDED = /^(?:encoding|frontmatter|yaml|name|description)-/;
const HARMLESS = ['name-folder', 'yaml-subset', 'description-too-long'];

/** The author's name where it keeps the rules, else one made from it or from the folder's name. Deterministic. */
export function servedName(
  { name, frontmatter }: Pick<Skill, 'name' | 'frontmatter'>,
  folder: string,
): string {
  if (isName(frontmatter.name)) return frontmatter.name;
  return kebab(name) || kebab(folder) || `skill-${hashBytes(Buffer.from(folder)).slice(0, 8)}`;
}

/** The file to serve under that name; null for a skill that says nothing about itself. */
export function servedSkillFile(skill: Skill, bytes: Uint8Array, name: string): ServedSkillFile | null {
  const { frontmatter: written, description } = skill;
  if (skill.verbatim && written.name === name && isText(written.description))
    return { bytes, frontmatter: { ...written, name, description: written.description }, adapted: [] };
  if (!isText(description)) return null;
  const { __proto__: _, ...others } = toJsonValues(written);
  const kept = isText(written.description) ? written.description : description;
  const frontmatter = { ...others, name, description: kept };
  const lines = Object.entries(frontmatter).map(
    ([key, value]) => `${formatKey(key)}: ${formatFlow(value)}\n`,
  );
  const adapted = skill.diagnostics
    .map(({ id }) => id)
    .filter((id) => NEEDED.test(id) && !HARMLESS.includes(id));
  return {
    bytes: Buffer.from(`---\n${lines.join('')}---\n${skill.body}`),
    frontmatter,
    adapted: adapted.length > 0 ? [...new Set(adapted)] : ['yaml-invalid'],
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const formatKey = (key: string) => (PLAIN_KEY.test(key) ? key : JSON.stringify(key));

/** JSON is YAML, except for characters that YAML breaks lines at. */
const formatFlow = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The values that JSON can hold: no `.nan`, no undefined. */
const toJsonValues = (written: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(written));
