/**
 * The lines of the data file. Each is the CRC-32 of its JSON, a space, and the JSON, with a line break before and after:
 * a line that a killed process left unfinished spoils no other.
 */

import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { parseJson } from '../json/public.ts';

const id = z.string().min(1).max(4_096);
/** Finds the skill again after its folder was renamed. */
const identity = { name: z.string().max(4_096), digest: z.string().max(200) };
/** Seconds since 1970. */
const time = z.int().min(0).max(1e11);
const weight = z.number().min(0).max(1e6);

/** One principal's use of a skill for one request, as a sum. Weights have decayed until `last`. */
const knownSchema = z.strictObject({
  kind: z.literal('known'),
  skill: id,
  ...identity,
  request: z.string().min(1).max(4_096),
  who: z.string().min(1).max(64),
  used: weight,
  /** What was preferred, or null for another search, and how often. */
  left: z.array(z.tuple([id.nullable(), weight])).max(16),
  first: time,
  last: time,
});

const recordSchema = z.discriminatedUnion('kind', [
  /** The first line. `secret` hides who is who: see `identity.ts`. */
  z.strictObject({ kind: z.literal('head'), format: z.literal(1), id: z.string(), secret: z.string() }),
  /** A search for `request` was followed by a load of the skill. */
  z.strictObject({
    kind: z.literal('use'),
    skill: id,
    ...identity,
    request: z.string().min(1).max(4_096),
    who: z.string().min(1).max(64),
    at: time,
  }),
  /** The skill did not help: another one was loaded (`instead`), or the same need was searched again. */
  z.strictObject({
    kind: z.literal('left'),
    skill: id,
    request: z.string().min(1).max(4_096),
    who: z.string().min(1).max(64),
    instead: id.nullable(),
    at: time,
  }),
  knownSchema,
  z.strictObject({ kind: z.literal('moved'), from: id, to: id }),
  z.strictObject({ kind: z.literal('edited'), skill: id, ...identity }),
  z.strictObject({ kind: z.literal('gone'), skill: id, at: time }),
  /** Everything that all given members match; everything without any. */
  z.strictObject({
    kind: z.literal('forget'),
    skill: id.optional(),
    request: z.string().optional(),
    who: z.string().optional(),
  }),
]);

export type LearnedRecord = z.infer<typeof recordSchema>;
export type Head = Extract<LearnedRecord, { kind: 'head' }>;
/** What `export` writes and `import` reads, one JSON object a line. */
export type Known = z.infer<typeof knownSchema>;

const checksum = (json: string) => crc32(json).toString(16).padStart(8, '0');

export function lineOf(record: LearnedRecord): string {
  const json = JSON.stringify(record);
  return `\n${checksum(json)} ${json}\n`;
}

/** The record of one line without its line break; null where it is damaged. */
export function recordOf(line: string): LearnedRecord | null {
  const json = line.slice(9);
  if (line[8] !== ' ' || checksum(json) !== line.slice(0, 8)) return null;
  return parsed(json, recordSchema);
}

/** The record of an exported line; null where it is none. */
export const knownOf = (json: string): Known | null => parsed(json, knownSchema);

const parsed = <Value>(json: string, schema: z.ZodType<Value>): Value | null =>
  schema.safeParse(parseJson(json)).data ?? null;
