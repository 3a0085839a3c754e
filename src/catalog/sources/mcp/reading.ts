/** What reading skills out of another MCP server yields, and how much of it there may be. */

import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type * as z from 'zod';
import { PeerError } from '../../../peers/errors.ts';
import { listed } from '../../../peers/pages.ts';
import { MAX_FILES } from '../folder.ts';
import { foldPath } from '../store/paths.ts';

/** Bytes of one skill, all files together: what the Skills extension makes every host accept. */
export const MAX_SKILL_BYTES = 16 * 2 ** 20;
/** Characters of all lists of one fetch: 20,000 skills with five files each have about 30 million. */
const MAX_LISTED = 128 * 2 ** 20;
/** Longest wait for one answer, ms, within the time of the whole fetch. */
const ANSWER_MS = 30_000;

/** A skill that is to be read; `read` rejects with a `SkillRefused` where it alone is at fault. */
export interface Found {
  readonly at: string;
  /** How the peer places it; the last is its own name. Nothing in them is trusted. */
  readonly segments: readonly string[];
  /** Equal as long as the peer promises the same files: then they need not be read again. */
  readonly version?: string;
  read(): Promise<ReadonlyMap<string, Uint8Array>>;
}

/** One way of asking a server for its skills. Skills that it can see to be broken it yields too: their `read` says why. */
export type Way = (reading: Reading) => AsyncIterable<Found>;

/** The skill cannot be taken; the others can. The message is a part of a sentence: why. */
export class SkillRefused extends Error {
  override readonly name = 'SkillRefused';
}

/** One fetch: whom it asks, until when, and how much it may still bring. */
export class Reading {
  readonly client: Client;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  #bytes = 0;
  #listed = 0;

  constructor(client: Client, signal: AbortSignal, maxBytes: number) {
    this.client = client;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
  }

  /** For every request. */
  get options(): RequestOptions {
    return { signal: this.#signal, timeout: ANSWER_MS, maxTotalTimeout: ANSWER_MS };
  }

  /** Counts what lists say, as characters; they are not kept, and yet must end. */
  countListed(text: string): void {
    this.#listed += text.length;
    if (this.#listed > MAX_LISTED)
      throw new PeerError('PEER_FLOOD', `Its lists have more than ${MAX_LISTED} characters.`);
  }

  /** Counts what was read; throws where the source has more than it may. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new PeerError('PEER_FLOOD', `Its skills have more than ${this.#maxBytes} bytes; raise maxBytes.`);
  }
}

/** A skill's files while they come, held to the limits of one skill. */
export class SkillFiles {
  readonly files = new Map<string, Uint8Array>();
  readonly #reading: Reading;
  readonly #folded = new Set<string>();
  #bytes = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** `path` is safe by `memberPath`. */
  add(path: string, bytes: Uint8Array): void {
    this.#reading.count(bytes.length);
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_SKILL_BYTES)
      throw new SkillRefused(`its files have more than ${MAX_SKILL_BYTES} bytes`);
    if (this.files.size === MAX_FILES) throw new SkillRefused(`it has more than ${MAX_FILES} files`);
    // Not every disk tells `A.md` from `a.md`.
    const folded = foldPath(path);
    if (this.#folded.has(folded))
      throw new SkillRefused(`two of its files are called ${JSON.stringify(path)}`);
    this.#folded.add(folded);
    this.files.set(path, bytes);
  }
}

/**
 * The skills of all pages of `skills/list`, each element by `foundOf`, which gets it parsed and as text. Every dialect
 * has this list; they differ in what its elements hold.
 */
export async function* listedSkills<Entry>(
  reading: Reading,
  schema: z.ZodType<Entry>,
  foundOf: (entry: Entry, text: string) => Found,
): AsyncGenerator<Found> {
  for await (const item of listed(reading.client, 'skills/list', 'skills', reading.options)) {
    const entry = schema.safeParse(item);
    const text = JSON.stringify(item);
    reading.countListed(text);
    yield entry.success ? foundOf(entry.data, text) : notASkill(text);
  }
}

/** For an element of a list that names no skill. */
function notASkill(text: string): Found {
  const at = `entry ${text.slice(0, 80)}`;
  return {
    at,
    segments: [],
    read: () => Promise.reject(new SkillRefused('its list holds something that names no skill')),
  };
}
