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
export function argumentsOf(frontmatter: Readonly<Record<string, unknown>>): SkillArgument[] {
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
export const missingOf = (declared: readonly SkillArgument[], given: Readonly<Record<string, string>>) =>
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
const PLACEHOLDER = /\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|(\d{1,3})|([A-Za-z_][\w-]*))(?![\w[])/g;

/**
 * The skill with arguments as hosts take them from a command line: `$ARGUMENTS` is all of them, `$1` the first,
 * `$ARGUMENTS[0]` too; `$0` where the text has it, and then `$1` is the second. Declared names have their values in order.
 * Missing ones become empty. Values are not expanded again.
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
  const first = /\$0(?![\w[])/.test(instructions.text) ? 0 : 1;
  const names = argumentsOf(frontmatter).map(({ name }) => name);
  const text = instructions.text.replace(
    PLACEHOLDER,
    (written, index?: string, number?: string, name?: string) => {
      if (index !== undefined) return words[Number(index)] ?? '';
      if (number !== undefined) return words[Number(number) - first] ?? '';
      if (name === undefined) return whole;
      const at = names.indexOf(name);
      return at === -1 ? written : (words[at] ?? '');
    },
  );
  return { ...loaded, instructions: { ...instructions, text } };
}
