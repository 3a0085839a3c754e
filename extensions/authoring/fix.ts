/**
 * Writes a skill file again without its mechanical faults: a byte-order mark, line ends, fences of the front matter, values
 * that YAML needs quoted, tabs, a missing name, the notation of `allowed-tools`.
 *
 * Nothing is guessed and nothing is lost: a text is returned only if it has every letter and digit of the file in their order,
 * says the same when it is read again, and has fewer diagnostics and no new ones.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Skill } from '../../src/app/extension-api.ts';
import { decodeText } from '../../src/skills/decode.ts';
import { parseSkill, readFrontMatter } from '../../src/skills/parse.ts';
import { isName } from '../../src/skills/strict.ts';

/** Faults of bytes that a text cannot show: to write them as UTF-8 would hide what was there. */
const UNSHOWABLE = ['encoding-utf16', 'encoding-invalid', 'encoding-nul', 'skill-binary', 'skill-empty'];
const ALLOWED_TOOLS = /^allowed-tools[ \t]*:(?:[ \t]*[^\s].*|[ \t]*(?:\n[ \t]*-[ \t].*)+)$/m;

interface FixedText {
  readonly text: string;
  /** Ids of the diagnostics that are gone, in their order, each once. */
  readonly fixed: readonly string[];
}

/** Null if there is nothing to fix, or nothing that can be fixed for sure. `where` as for `parseSkill`. */
export function fixedText(
  bytes: Uint8Array,
  where: { readonly path: string; readonly folder: string },
): FixedText | null {
  const skill = parseSkill(bytes, where);
  const { diagnostics } = skill;
  if (diagnostics.length === 0 || diagnostics.some(({ id }) => UNSHOWABLE.includes(id))) return null;
  const decoded = new TextDecoder().decode(bytes);
  let file = Buffer.from(decoded).equals(bytes) ? { text: decoded, skill } : read(decoded, where);
  for (const step of [plainText, plainFrontMatter, withName, plainTools]) {
    const text = step(file, where);
    if (text === null || text === file.text) continue;
    const next = read(text, where);
    if (isHarmless(file, next, where)) file = next;
  }
  const left = new Set(file.skill.diagnostics.map(({ id }) => id));
  const fixed = [...new Set(diagnostics.map(({ id }) => id))].filter((id) => !left.has(id));
  return fixed.length === 0 ? null : { text: file.text, fixed };
}

type Where = Parameters<typeof parseSkill>[1];

/** A skill file as it is to be written, and what is read of it. */
interface SkillFile {
  readonly text: string;
  readonly skill: Skill;
}

const read = (text: string, where: Where): SkillFile => ({
  text,
  skill: parseSkill(new TextEncoder().encode(text), where),
});

/** Without a byte-order mark, and with line ends that every reader knows. */
function plainText({ text }: SkillFile, { path }: Where): string {
  const plain = decodeText(new TextEncoder().encode(text), path).text;
  return plain.includes('\n') ? plain : plain.replaceAll('\r', '\n');
}

/** Front matter between exact fences, and as YAML. */
function plainFrontMatter({ text }: SkillFile, { path }: Where): string | null {
  const { split, reading } = readFrontMatter(text, path);
  if (split.yaml === null || reading.text === null) return null;
  const written = split.yaml.split('\n');
  // A repair joins a value to one line and leaves the others empty, so that line numbers stay.
  const lines = reading.text
    .split('\n')
    .filter((line, at) => line !== '' || (written[at] ?? '').trim() === '');
  const yaml = lines.join('\n').replace(/\n*$/, '\n');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const body = split.body === '' || /^\r?\n/.test(split.body) ? split.body : `${end}${split.body}`;
  const kept = hasExactFences(text, split.body) ? split.body : body;
  return `---${end}${yaml.replaceAll('\n', end)}---${end}${kept}`;
}

const hasExactFences = (text: string, body: string) =>
  /\n---[ \t\r]*\n$/.test(text.slice(0, text.length - body.length));

function withName({ text, skill }: SkillFile, { folder }: Where): string | null {
  const isMissing = skill.diagnostics.some(({ id }) => id === 'name-missing');
  return isMissing && isName(folder) ? text.replace(/^---(\r?\n)/, `---$1name: ${folder}$1`) : null;
}

/** `[Read, Bash(git:*)]`, a list, or names with commas → names with spaces. */
function plainTools({ text, skill: { diagnostics, allowedTools } }: SkillFile): string | null {
  if (!diagnostics.some(({ id }) => id === 'allowed-tools-type')) return null;
  return text.replace(ALLOWED_TOOLS, () => `allowed-tools: ${allowedTools.join(' ')}`);
}

/** Whether `after` loses no letter, means the same, and has no fault that `before` does not have. */
function isHarmless(before: SkillFile, after: SkillFile, { folder }: Where): boolean {
  const ids = new Set(before.skill.diagnostics.map(({ id }) => id));
  const added = `name${folder}`.replace(SIGNS, '');
  const letters = after.text.replace(SIGNS, '');
  return (
    [letters, letters.replace(added, '')].includes(before.text.replace(SIGNS, '')) &&
    isDeepStrictEqual(pickMeaning(before.skill), pickMeaning(after.skill)) &&
    after.skill.diagnostics.every(({ id }) => ids.has(id))
  );
}

/** What a repair may take away or add: punctuation, white space, and the `|` or `>` before a value. */
const SIGNS = /(?:[^\p{L}\p{M}\p{N}\p{S}]|[|>])+/gu;

const pickMeaning = ({ name, description, tags, allowedTools, frontmatter, body }: Skill) => ({
  name,
  description,
  tags,
  allowedTools,
  frontmatter: { ...frontmatter, name, 'allowed-tools': null },
  body: body.replace(/\r\n?/g, '\n').trim(),
});
