/**
 * Arguments of a skill, inserted into its instructions as hosts with skill arguments do: by name for draft B, by position
 * for people's commands and load_skill. Names are declared in front matter (`arguments`: names in a string or a list, or a
 * list of {name, description, required}).
 */

import * as z from 'zod';
import type { LoadedSkill } from '../gateway/gateway.ts';

const NAME = /^[A-Za-z_][\w-]*$/;

const argumentSchema = z.object({
  name: z.string().regex(NAME),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  required: z.boolean().optional().catch(undefined),
});

export type SkillArgument = z.infer<typeof argumentSchema>;

/** Declared arguments in order; invalid ones are left out. */
export function readArguments(frontmatter: Readonly<Record<string, unknown>>): SkillArgument[] {
  const written = frontmatter.arguments;
  const items: unknown[] =
    typeof written === 'string' ? written.split(/[\s,]+/) : Array.isArray(written) ? written : [];
  return items.flatMap((item) => {
    const parsed = argumentSchema.safeParse(typeof item === 'string' ? { name: item } : item);
    if (!parsed.success) return [];
    return [parsed.data];
  });
}

/** Names of required arguments that are not given. */
export const findMissing = (declared: readonly SkillArgument[], given: Readonly<Record<string, string>>) =>
  declared.filter(({ name, required }) => required === true && !Object.hasOwn(given, name));

/** The text with `$name` replaced for every declared and given name, once: values are not expanded again. */
export function filledIn(
  text: string,
  declared: readonly SkillArgument[],
  given: Readonly<Record<string, string>>,
): string {
  const names = new Set(declared.map(({ name }) => name).filter((name) => Object.hasOwn(given, name)));
  if (names.size === 0) return text;
  return text.replace(/\$([A-Za-z_][\w-]*)/g, (written, name: string) =>
    names.has(name) ? (given[name] ?? written) : written,
  );
}

/** A word, or several in quotes, as a shell splits them. */
const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;
/**
 * `$ARGUMENTS`, `$ARGUMENTS[0]`, `$1`, `$name`, and each of them behind a backslash. No price (`$1,000`, `US$3`), cell (`$B$2`) or
 * expression (`^\d+$1`).
 */
const PLACEHOLDER =
  /(\\?)\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|(?<![\w)$.*+?][\\]?\$)(\d{1,3})(?![,.–—-]\d|[+%/]|\s?(?:per|USD|EUR)\b)|([A-Za-z_][\w-]*))(?![\w[])/g;
const FENCE = /^\s*(`{3,}|~{3,})/;
/** Code in single quotes within a line: programs of awk, perl and sed, in which a shell replaces nothing either. */
const QUOTED_PROGRAM = /`[^`]*'[^'`]*\$\d[^'`]*'[^`]*`/g;

interface Values {
  /** As written. */
  readonly whole: string;
  readonly words: readonly string[];
  readonly names: readonly string[];
  /** How many `$1`, `$2` … the skill declares; others are prices. 0 in code, where they are the program's. */
  readonly positions: number;
  /** What `$1` counts from. */
  readonly first: 0 | 1;
}

/**
 * The skill with arguments as hosts insert them (code.claude.com/docs/en/skills, "Available string substitutions"): `$ARGUMENTS`
 * is all of them, `$ARGUMENTS[0]` the first. A skill that declares arguments also has `$name`, and `$1` for the first, or for the
 * second where its text has `$0`. What has no value stays as it is written, as does `$1` in blocks of code. A backslash keeps a
 * placeholder. Values are not expanded again.
 */
export function withArguments<Loaded extends Pick<LoadedSkill, 'instructions' | 'frontmatter'>>(
  loaded: Loaded,
  given: string | undefined,
): Loaded {
  const whole = given?.trim() ?? '';
  if (whole === '') return loaded;
  const { instructions, frontmatter } = loaded;
  const words = Array.from(whole.matchAll(WORD), ([, double, single, plain]) =>
    double === undefined ? (single ?? plain ?? '') : double.replace(/\\(.)/g, '$1'),
  );
  const names = readArguments(frontmatter).map(({ name }) => name);
  const first = /\$0(?![\w[.])/.test(instructions.text) ? 0 : 1;
  const positions = names.length > 0 ? names.length : hintedArguments(frontmatter['argument-hint']);
  const text = insertValues(instructions.text, { whole, words, names, positions, first });
  return { ...loaded, instructions: { ...instructions, text } };
}

/** `<url> [--mode text|html] [days]` → 3; a hint that is a list has an item for each. */
function hintedArguments(hint: unknown): number {
  if (Array.isArray(hint)) return hint.length;
  return typeof hint === 'string' ? (hint.match(/<[^>]*>|\[[^\]]*\]|[^\s<>[\]]+/g)?.length ?? 0) : 0;
}

function insertValues(text: string, values: Values): string {
  let fence: string | null = null;
  return text
    .split('\n')
    .map((line) => {
      const mark = FENCE.exec(line)?.[1];
      if (mark !== undefined && (fence === null || mark.startsWith(fence)))
        fence = fence === null ? mark : null;
      return insertInLine(line, fence === null ? values : { ...values, positions: 0 });
    })
    .join('\n');
}

function insertInLine(line: string, values: Values): string {
  if (!line.includes('$')) return line;
  const programs = Array.from(line.matchAll(QUOTED_PROGRAM), ({ index, 0: code }) => [
    index,
    index + code.length,
  ]);
  return line.replace(PLACEHOLDER, (written, backslash: string, index, number, name, at: number) => {
    const isProgram = programs.some(([from = 0, to = 0]) => from <= at && at < to);
    const value = valueFor({ index, number, name }, isProgram ? { ...values, positions: 0 } : values);
    return value === undefined ? written : backslash === '' ? value : written.slice(1);
  });
}

type Placeholder = Readonly<Record<'index' | 'number' | 'name', string | undefined>>;

/** Undefined if the placeholder has no value. */
function valueFor({ index, number, name }: Placeholder, { whole, words, names, positions, first }: Values) {
  if (index !== undefined) return words[Number(index)];
  if (number !== undefined)
    return Number(number) - first < positions ? words[Number(number) - first] : undefined;
  if (name === undefined) return whole;
  return names.includes(name) ? words[names.indexOf(name)] : undefined;
}
