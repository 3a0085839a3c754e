/**
 * Arguments as models write them. Common mistakes are normalised before the schema checks them: null for "not given",
 * "5" for 5, one tag for a list of tags, an object or a list sent as JSON text. An ambiguous value is never changed.
 */

import { distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { isRecord } from '../../base/json.ts';
import { clip, quote } from '../../base/text.ts';

/** Most characters of an unknown name. */
const NAME_CHARACTERS = 60;

type Normaliser = (value: unknown) => unknown;

/**
 * An object schema without other fields, whose values are first read as the type of their field, and before that by the field's
 * own normaliser, which then also says what empty text means. Its JSON Schema is that of the object.
 */
export function toolArguments<Shape extends z.ZodRawShape>(
  shape: Shape,
  special: { readonly [Field in keyof Shape]?: Normaliser } = {},
) {
  return z.preprocess((value) => normalised(shape, value, special), knownFields(shape));
}

/** Without nulls, and what means "none" in an optional field: "", "null", [] for an object, 0 for a number from 1. */
function normalised(
  shape: z.ZodRawShape,
  value: unknown,
  special: Readonly<Record<string, Normaliser | undefined>> = {},
): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => {
      if (field === null) return [];
      const schema = Object.hasOwn(shape, key) ? (shape[key] as z.ZodType) : undefined;
      if (schema === undefined) return [[key, field]];
      const inner = unwrapped(schema);
      const normalise = Object.hasOwn(special, key) ? special[key] : undefined;
      const given = normalise === undefined ? asGiven(field) : normalise(field);
      const read = asWanted(inner, given);
      const isNone = read === null || standsForNone(inner, read);
      return isNone && schema.safeParse(undefined).success ? [] : [[key, given === null ? field : read]];
    }),
  );
}

/** As the schema wants it: "5" as a number, 5 as text, one item as a list, JSON text as a list or an object. */
function asWanted(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodString) return typeof value === 'number' ? String(value) : value;
  if (schema instanceof z.ZodNumber) return asNumber(value);
  if (schema instanceof z.ZodBoolean) return asBoolean(value);
  if (schema instanceof z.ZodRecord) return asJson(value);
  if (schema instanceof z.ZodArray) {
    const items = asList(value);
    const item = unwrapped(schema.element as z.ZodType);
    return Array.isArray(items) ? items.map((each) => asWanted(item, each)) : items;
  }
  if (!(schema instanceof z.ZodObject)) return value;
  const read = asJson(value);
  // The values of an object that may have any are its own.
  return schema.def.catchall instanceof z.ZodUnknown ? read : normalised(schema.shape, read);
}

const standsForNone = (schema: z.ZodType, value: unknown) =>
  value === 'null' ||
  (Array.isArray(value) && value.length === 0 && schema instanceof z.ZodObject) ||
  (value === 0 && schema instanceof z.ZodNumber && !schema.safeParse(0).success);

/** Without what makes it optional, gives a default or prepares the value. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return unwrapped(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.out as z.ZodType);
  return schema;
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

/** A whole number in a range; its error message names the range. */
export function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
}

/** `"5"` → `5`. */
const asNumber: Normaliser = (value) =>
  typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : value;

/** `''` → not given. */
const asGiven: Normaliser = (value) => (typeof value === 'string' && value.trim() === '' ? null : value);

/** `"pdf"` → `["pdf"]`; JSON text of a list → the list. */
const asList: Normaliser = (value) => {
  const read = asJson(value);
  return typeof read === 'string' ? [read] : read;
};

/** Of a field whose empty text has a meaning. */
export const asWritten: Normaliser = (value) => value;

/** `"true"` → `true`. */
const asBoolean: Normaliser = (value) => (value === 'true' ? true : value === 'false' ? false : value);

/** JSON text of an object or a list → its value. */
const asJson: Normaliser = (value) => {
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
