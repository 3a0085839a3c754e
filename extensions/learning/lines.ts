/**
 * The lines of the data file: a head, then the sums of uses, of which the latest counts. Each is the CRC-32 of its JSON, a
 * space, and the JSON, with a line break before and after: a line that a killed process left unfinished spoils no other.
 */

import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { parseJson } from '../../src/base/json.ts';

/** The user of this machine. */
export const LOCAL_USER = 'local';
/** How many of the skills that were preferred to another one are remembered. */
export const MAX_LEFT_FOR = 16;

const id = z.string().min(1).max(4_096);
const times = z.number().min(0).max(1e6);

const headSchema = z.strictObject({
  kind: z.literal('head'),
  /** Another one after each compaction. */
  id: z.string(),
  /** Hides who is who: see `hashPrincipal`. */
  secret: z.string(),
});
/** One principal's loads of a skill for one request. */
const useSchema = z.strictObject({
  kind: z.literal('use'),
  skill: id,
  request: z.string().min(1).max(4_096),
  /** As `hashPrincipal` gives it. */
  who: z.string().min(1).max(64),
  /** Loads, decayed until `at`. */
  used: times,
  /** Loads after which another skill was loaded (its id), or the same need searched again (null), decayed until `at`. */
  left: z.array(z.tuple([id.nullable(), times])).max(MAX_LEFT_FOR),
  /** The latest, seconds since 1970. */
  at: z.int().min(0).max(1e11),
});
const lineSchema = z.discriminatedUnion('kind', [headSchema, useSchema]);

export type Head = z.infer<typeof headSchema>;
export type Use = Readonly<z.infer<typeof useSchema>>;

const checksum = (json: string) => crc32(json).toString(16).padStart(8, '0');

export function formatLine(line: Head | Use): string {
  const json = JSON.stringify(line);
  return `\n${checksum(json)} ${json}\n`;
}

/** What one line without its line break says; null where it is damaged. */
export function parseLine(line: string): Head | Use | null {
  const json = line.slice(9);
  if (line[8] !== ' ' || checksum(json) !== line.slice(0, 8)) return null;
  return lineSchema.safeParse(parseJson(json)).data ?? null;
}

/** A principal's name as the file has it: `local` as it is, others as 16 hex digits that say no one's name. */
export const hashPrincipal = (principal: string, secret: string): string =>
  principal === LOCAL_USER
    ? LOCAL_USER
    : createHmac('sha256', secret).update(principal).digest('hex').slice(0, 16);
