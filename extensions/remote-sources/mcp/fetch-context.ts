/** Reading skills from another MCP server: what each strategy yields, the limits of one fetch, and the bytes of resources. */

import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { Skill } from '@modelcontextprotocol/client/ext/skills';
import * as z from 'zod';
import { MAX_PUBLISHED_FILES } from '../../../src/sources/source.ts';
import { UpstreamError } from '../../../src/sources/upstream.ts';
import { foldPath } from '../fetched/select-files.ts';
import { listItems } from '../upstream/pagination.ts';

/** Bytes of one skill, all files together: the limit that the Skills extension sets for hosts. */
export const MAX_SKILL_BYTES = 16 * 2 ** 20;
/** Characters of all lists of one fetch: 20,000 skills with five files each take about 30 million. */
const MAX_LIST_CHARACTERS = 128 * 2 ** 20;
/** Longest wait for one answer, ms. */
const ANSWER_MS = 30_000;

/** A skill of a server's list. `read` rejects with a `SkillRefusedError` if only this skill is at fault. */
export interface ListedSkill {
  /** Its URI or name on the server, for messages. */
  readonly at: string;
  /** Its path on the server; the last segment is its own name. Untrusted. */
  readonly segments: readonly string[];
  /** Equal as long as the server promises the same files: then they need not be read again. */
  readonly version?: string;
  read(): Promise<ReadSkill>;
}

/** What was read of a skill. */
interface ReadSkill {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Files that are read when they are needed; absent where there are none. */
  readonly elsewhere?: readonly FileElsewhere[];
  /** The skill whose entry has them: its URI, or the entry itself where also the skill file is elsewhere. Absent where none has. */
  readonly entry?: string | Skill;
}

/** What is read before someone wants it; each value includes the one before. */
export type Ahead = 'list' | 'instructions' | 'all';

/** A file as the server's list has it. */
export interface FileElsewhere {
  /** In the skill's folder, with `/`. */
  readonly path: string;
  readonly uri: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** Reads skills from a server by one method. It also yields broken list entries: their `read` rejects with the reason. */
export type ReadStrategy = (context: FetchContext) => AsyncIterable<ListedSkill>;

/** This skill cannot be used; others can. The message is the reason, as part of a sentence. */
export class SkillRefusedError extends Error {
  override readonly name = 'SkillRefusedError';
}

/** One fetch: its client, request options and remaining limits. */
export class FetchContext {
  readonly client: Client;
  readonly ahead: Ahead;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  #bytes = 0;
  #listed = 0;

  constructor(client: Client, signal: AbortSignal, maxBytes: number, ahead: Ahead) {
    this.client = client;
    this.ahead = ahead;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
  }

  /** Options of every request. */
  get options(): RequestOptions {
    return { signal: this.#signal, timeout: ANSWER_MS, maxTotalTimeout: ANSWER_MS };
  }

  /** Counts characters of lists. They are not stored, but must end. */
  countListed(text: string): void {
    this.#listed += text.length;
    if (this.#listed > MAX_LIST_CHARACTERS)
      throw new UpstreamError(
        'UPSTREAM_FLOOD',
        `Its lists have more than ${MAX_LIST_CHARACTERS} characters.`,
      );
  }

  /** Counts bytes of skills. Throws over the source's limit. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new UpstreamError('UPSTREAM_FLOOD', `Its skills have more than ${this.#maxBytes} bytes.`);
  }
}

/** Collects a skill's files within the limits of one skill. */
export class SkillFiles {
  readonly files = new Map<string, Uint8Array>();
  readonly #context: FetchContext;
  readonly #folded = new Set<string>();
  #bytes = 0;

  constructor(context: FetchContext) {
    this.#context = context;
  }

  /** `path` must come from `memberPath`. */
  add(path: string, bytes: Uint8Array): void {
    this.#context.count(bytes.length);
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_SKILL_BYTES)
      throw new SkillRefusedError(`its files have more than ${MAX_SKILL_BYTES} bytes`);
    this.reserve(path);
    this.files.set(path, bytes);
  }

  /** Takes the name of a file that is read later. */
  reserve(path: string): void {
    if (this.#folded.size === MAX_PUBLISHED_FILES)
      throw new SkillRefusedError(`it has more than ${MAX_PUBLISHED_FILES} files`);
    // `A.md` and `a.md` are one file on some file systems.
    const folded = foldPath(path);
    if (this.#folded.has(folded))
      throw new SkillRefusedError(`two of its files have the name ${JSON.stringify(path)}`);
    this.#folded.add(folded);
  }
}

/**
 * The skills of all pages of `skills/list`. `skillOf` gets each element, parsed and as JSON text; null leaves it out. The
 * extension and both drafts have this list; they differ in the schema of its elements.
 */
export async function* listedSkills<Entry>(
  context: FetchContext,
  schema: z.ZodType<Entry>,
  skillOf: (entry: Entry, text: string) => ListedSkill | null,
): AsyncGenerator<ListedSkill> {
  for await (const item of listItems(context.client, 'skills/list', 'skills', context.options)) {
    const entry = schema.safeParse(item);
    const text = JSON.stringify(item);
    context.countListed(text);
    const skill = entry.success ? skillOf(entry.data, text) : notASkill(text);
    if (skill !== null) yield skill;
  }
}

/** An element of a list that is not a skill. */
function notASkill(text: string): ListedSkill {
  const at = `entry ${text.slice(0, 80)}`;
  return {
    at,
    segments: [],
    read: () => Promise.reject(new SkillRefusedError('the server’s list has an entry that is not a skill')),
  };
}

/** Of `resources/read`, and of similar results in the drafts. */
export const contentsSchema = z.union([
  z.looseObject({ uri: z.string().optional(), text: z.string() }),
  z.looseObject({ uri: z.string().optional(), blob: z.base64() }),
]);

export function decodeContents(contents: z.output<typeof contentsSchema>): Uint8Array {
  return 'text' in contents && typeof contents.text === 'string'
    ? Buffer.from(contents.text, 'utf8')
    : Buffer.from(String(contents.blob), 'base64');
}

const readSchema = z.looseObject({ contents: z.array(contentsSchema).max(1_000) });

/** One resource. Its bytes are not verified. */
export async function readResource({ client, options }: FetchContext, uri: string): Promise<Uint8Array> {
  const { contents } = await client.request(
    { method: 'resources/read', params: { uri } },
    readSchema,
    options,
  );
  const own = contents.find((item) => item.uri === uri) ?? contents[0];
  if (own === undefined) throw new SkillRefusedError(`${uri} has no contents`);
  return decodeContents(own);
}
