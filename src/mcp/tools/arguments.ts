/**
 * Arguments as models write them. Schemas say what is right; before they judge, the common slips are mended: null for
 * "not given", "5" for 5, one tag for a list of tags, an object or a list sent as its JSON text. What means two
 * things is never mended.
 */

import * as z from 'zod';

type Mend = (value: unknown) => unknown;

/** An object schema whose named fields are mended first. Its JSON Schema is the plain object's. */
export function toolArguments<Shape extends z.ZodRawShape>(
  shape: Shape,
  mends: { readonly [Field in keyof Shape]?: Mend } = {},
) {
  return z.preprocess((value) => mended(value, mends), z.object(shape));
}

/** Drops nulls and applies each field's mend; anything but an object is left to the schema to refuse. */
export function mended(value: unknown, mends: Readonly<Record<string, Mend | undefined>>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]) => [key, Object.hasOwn(mends, key) ? mends[key]?.(field) : field])
      .filter(([, field]) => field !== null),
  );
}

/** A whole number in a range, which its message names. */
export function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
}

/** `"5"` → `5`. */
export const asNumber: Mend = (value) =>
  typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : value;

/** `''` → not given: for fields that mean something only when they say something. */
export const asGiven: Mend = (value) => (typeof value === 'string' && value.trim() === '' ? null : value);

/** `"pdf"` → `["pdf"]`; JSON text of a list → the list. */
export const asList: Mend = (value) => {
  const read = asJson(value);
  return typeof read === 'string' ? [read] : read;
};

/** `"true"` → `true`. */
export const asBoolean: Mend = (value) => (value === 'true' ? true : value === 'false' ? false : value);

/** JSON text of an object or a list → what it says. */
export const asJson: Mend = (value) => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** Lines as the schema takes them: `[10, 20]`, `"[10, 20]"`, `10`, `"L10-L20"`, `"10:20"`, `"10–20"` → `"10-20"`. */
export const asLines: Mend = (value) => {
  const read = asGiven(asJson(value));
  if (typeof read === 'number') return String(read);
  if (Array.isArray(read)) return read.join('-');
  if (typeof read !== 'string') return read;
  const parts = /^\s*(?:lines?\s*)?L?(\d+)\s*(?:(?:-|–|—|:|,|\.\.+|to)\s*(?:L?(\d+))?)?\s*$/i.exec(read);
  if (parts === null) return read;
  const [, from, to] = parts;
  return to !== undefined ? `${from}-${to}` : /\d\s*$/.test(read) ? `${from}` : `${from}-`;
};

/** `"A-B"`, `"A-"` (to the end) or `"A"`, 1-based, both included. */
export const linesSchema = z
  .string()
  .regex(/^\d{1,9}(-(\d{1,9})?)?$/, 'must be "A-B", "A-" or "A", counted from 1');

/** The range that a text of `linesSchema` means; to the end is `END`. */
export function lineRange(lines: string): [from: number, to: number] {
  const [from = '', to] = lines.split('-');
  return [Number(from), to === undefined ? Number(from) : to === '' ? END : Number(to)];
}

/** Beyond the end of every file: the gateway cuts a range at the last line. */
const END = 999_999_999;
