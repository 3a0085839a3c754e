/**
 * Arguments as models write them. Common mistakes are normalised before the schema checks them: null for "not given",
 * "5" for 5, one tag for a list of tags, an object or a list sent as JSON text. An ambiguous value is never changed.
 */

import { distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { clip, quote } from '../text.ts';

/** Most characters of an unknown name. */
const NAME_CHARACTERS = 60;

type Normaliser = (value: unknown) => unknown;

/** An object schema whose named fields are normalised first, without other fields. Its JSON Schema is that of the object. */
export function toolArguments<Shape extends z.ZodRawShape>(
  shape: Shape,
  normalisers: { readonly [Field in keyof Shape]?: Normaliser } = {},
) {
  return z.preprocess((value) => normalised(value, normalisers), knownFields(shape));
}

/** An object without other fields: an error names the one that was probably meant. */
export function knownFields<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const [unknown = ''] = issue.keys;
      const written = quote(clip(unknown, NAME_CHARACTERS));
      const near = known.find((name) => isNear(unknown, name));
      return `${written} is unknown. ${near === undefined ? `Known: ${known.join(', ')}` : `Did you mean ${near}?`}`;
    },
  });
}

/** `topK` and `top-k` for `top_k`, one word of the name, or a misspelling of a third of its letters. */
function isNear(unknown: string, name: string): boolean {
  const [a, b] = [unknown, name].map((text) => text.toLowerCase().replace(/[^a-z0-9]/g, ''));
  if (a === undefined || b === undefined || a === '' || a.length > NAME_CHARACTERS) return false;
  return (
    distance(a, b) <= Math.ceil(b.length / 3) ||
    name.split('_').includes(a) ||
    `${b}s` === a ||
    a.startsWith(b)
  );
}

/** Drops nulls and applies each field's normaliser. Anything but an object is returned as it is. */
export function normalised(
  value: unknown,
  normalisers: Readonly<Record<string, Normaliser | undefined>>,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]) => [key, Object.hasOwn(normalisers, key) ? normalisers[key]?.(field) : field])
      .filter(([, field]) => field !== null),
  );
}

/** A whole number in a range; its error message names the range. */
export function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
}

/** `"5"` → `5`. */
export const asNumber: Normaliser = (value) =>
  typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : value;

/** `''` → not given, for fields whose empty text has no meaning. */
export const asGiven: Normaliser = (value) =>
  typeof value === 'string' && value.trim() === '' ? null : value;

/** `"pdf"` → `["pdf"]`; JSON text of a list → the list. */
export const asList: Normaliser = (value) => {
  const read = asJson(value);
  return typeof read === 'string' ? [read] : read;
};

/** `"true"` → `true`. */
export const asBoolean: Normaliser = (value) => (value === 'true' ? true : value === 'false' ? false : value);

/** JSON text of an object or a list → its value. */
export const asJson: Normaliser = (value) => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** Line ranges in the form of `linesSchema`: `[10, 20]`, `"[10, 20]"`, `10`, `"L10-L20"`, `"10:20"`, `"10–20"` → `"10-20"`. */
export const asLines: Normaliser = (value) => {
  const read = asGiven(asJson(value));
  if (typeof read === 'number') return String(read);
  if (Array.isArray(read)) return read.join('-');
  if (typeof read !== 'string') return read;
  const match = /^\s*(?:lines?\s*)?L?(\d+)\s*(?:(?:-|–|—|:|,|\.\.+|to)\s*(?:L?(\d+))?)?\s*$/i.exec(read);
  if (match === null) return read;
  const [, from, to] = match;
  return to !== undefined ? `${from}-${to}` : /\d\s*$/.test(read) ? `${from}` : `${from}-`;
};

/** `"A-B"`, `"A-"` (to the end) or `"A"`, 1-based, both included. */
export const linesSchema = z
  .string()
  .refine((lines) => /^\d{1,9}(-(\d{1,9})?)?$/.test(lines), 'must be "A-B", "A-" or "A", counted from 1');

/** The range of a text that fits `linesSchema`; an open range ends at `END`. */
export function lineRange(lines: string): [from: number, to: number] {
  const [from = '', to] = lines.split('-');
  return [Number(from), to === undefined ? Number(from) : to === '' ? END : Number(to)];
}

/** After the end of every file: the gateway cuts a range at the last line. */
const END = 999_999_999;
