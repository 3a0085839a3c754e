/**
 * Arguments of a skill in draft B: declared in front matter (`arguments`: names in a string or a list, or a list of
 * {name, description, required}) and inserted into the instructions for `$name`, as hosts with skill arguments do.
 */

import * as z from 'zod';

export interface SkillArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

const NAME = /^[A-Za-z_][\w-]*$/;

const argumentSchema = z.object({
  name: z.string().regex(NAME),
  description: z.string().optional().catch(undefined),
  required: z.boolean().optional().catch(undefined),
});

/** Declared arguments in order; invalid ones are left out. */
export function argumentsOf(frontmatter: Readonly<Record<string, unknown>>): SkillArgument[] {
  const written = frontmatter.arguments;
  const items: unknown[] =
    typeof written === 'string' ? written.split(/[\s,]+/) : Array.isArray(written) ? written : [];
  return items.flatMap((item) => {
    const parsed = argumentSchema.safeParse(typeof item === 'string' ? { name: item } : item);
    if (!parsed.success) return [];
    const { name, description, required } = parsed.data;
    return [
      {
        name,
        ...(description !== undefined && { description }),
        ...(required !== undefined && { required }),
      },
    ];
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
