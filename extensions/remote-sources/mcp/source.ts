/**
 * The skills of another MCP server as a source: read by one of the strategies, checked, and cached on disk like those
 * of every fetched source. A skill that fails a check keeps its last accepted version; the others are not affected.
 */

import { hash } from 'node:crypto';
import { type Client, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Skill } from '@modelcontextprotocol/client/ext/skills';
import { ZodError } from 'zod';
import type { ReadableFile } from '../../../src/app/extension-api.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { fileKind } from '../../../src/skills/files.ts';
import type { FetchOptions, McpSource } from '../../../src/sources/fetched.ts';
import { openGuard } from '../../net/guarded-fetch.ts';
import { CachedSource } from '../fetched/cached-source.ts';
import type { Contents, StoredFile } from '../fetched/contents.ts';
import { type IncomingContents, tooManySkills } from '../fetched/incoming.ts';
import { findSkillFolders } from '../fetched/select-files.ts';
import { addressOrigin, listSecrets, type UpstreamAddress } from '../upstream/address.ts';
import { UpstreamConnection } from '../upstream/connection.ts';
import { ServerTools } from '../upstream/tools.ts';
import { readElsewhere } from './extension.ts';
import {
  type Ahead,
  FetchContext,
  type FileElsewhere,
  type ListedSkill,
  SkillRefusedError,
} from './fetch-context.ts';
import { FolderNames, TreePaths } from './folder-names.ts';
import { listSkills } from './strategies.ts';

/** Skills read at a time: enough to hide network latency, few enough to hold in memory. */
const CONCURRENCY = 8;

export interface McpSourceOptions extends FetchOptions {
  /** A program to start; either this or `url`. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Added to the few variables that every program needs; the program gets nothing else of our environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A server over Streamable HTTP. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether its address may be private. */
  readonly allowPrivate?: boolean;
  /**
   * What is read ahead where a server lists digests: nothing but its list, skill files too, or all files. The others are read
   * when they are needed. Default `all`.
   */
  readonly fetch?: Ahead;
}

export function mcpSource(options: McpSourceOptions): McpSource {
  const { fetch: ahead = 'all', refreshMs } = options;
  const address = toAddress(options);
  const guard = openGuard({
    privateOrigins: options.allowPrivate === true && address.kind === 'http' ? [originIn(address.url)] : [],
    // A tool may take long and notifications are rare: each request has its own time limit instead.
    silenceMs: 0,
  });
  const connection = new UpstreamConnection({ address, fetch: guard.fetch });
  const tools = new ServerTools(connection, { refreshMs, now: () => performance.now() });
  const source = new CachedSource(options, {
    kind: 'mcp',
    origin: addressOrigin(address),
    key: [JSON.stringify(addressIdentity(address)), ahead],
    secrets: listSecrets(address),
    fetch: (incoming) => fetchSkills(connection, ahead, incoming),
    ...(ahead !== 'all' && { filesElsewhere: (memory) => filesElsewhere(connection, memory) }),
    async close() {
      tools.close();
      await connection.close();
      await guard.close();
    },
  });
  return Object.assign(source, {
    tools,
    onNotification: (listener: () => void) => connection.onNotification('skills', listener),
  });
}

function toAddress({
  name,
  command,
  args = [],
  env = {},
  cwd,
  url,
  headers = {},
}: McpSourceOptions): UpstreamAddress {
  if (command !== undefined) return { kind: 'program', command, args, env, cwd };
  if (url !== undefined) return { kind: 'http', url, headers };
  throw new TypeError(`The source ${name} has neither a command nor a url.`);
}

const originIn = (url: string) => (URL.canParse(url) ? new URL(url).origin : '');

/** What identifies the server. Headers and variables are not part of it: they hold credentials, which change. */
function addressIdentity(address: UpstreamAddress): readonly unknown[] {
  return address.kind === 'program' ? [address.command, address.args, address.cwd] : [address.url];
}

const fetchSkills = (connection: UpstreamConnection, ahead: Ahead, incoming: IncomingContents) =>
  connection.use(
    async (client): Promise<Contents> => {
      const failed = new AbortController();
      const signal = AbortSignal.any([incoming.signal, failed.signal]);
      const listed = listSkills(new FetchContext(client, signal, incoming.limits.maxBytes, ahead));
      const skills = new SkillImport(incoming, ahead);
      const work = async () => {
        for (let next = await listed.next(); next.done !== true; next = await listed.next())
          await skills.add(next.value);
      };
      // An error stops the other workers: this fetch is discarded.
      const workers = Array.from({ length: CONCURRENCY }, () => work().catch((error) => failed.abort(error)));
      await Promise.all(workers);
      failed.signal.throwIfAborted();
      return skills.finish();
    },
    { signal: incoming.signal, timeoutBreaks: true },
  );

/** What a fetch remembers of a skill: the version of its entry, and what of it was not read. */
interface Remembered {
  readonly version: string;
  readonly entry: string | Skill;
  readonly elsewhere: readonly FileElsewhere[];
}

const remembered = (memory: string): Remembered => JSON.parse(memory);

/** Longest wait for a file, ms. */
const FILE_MS = 30_000;

function filesElsewhere(connection: UpstreamConnection, memory: string): readonly ReadableFile[] {
  const { entry, elsewhere } = remembered(memory);
  return elsewhere.map((file) => ({
    ...(fileKind(file.path) === 'skill' && { standIn: true }),
    path: file.path,
    size: file.size,
    kind: fileKind(file.path),
    sha256: file.sha256,
    bytes: () => {
      const signal = AbortSignal.timeout(FILE_MS);
      const read = (client: Client) => readElsewhere(client, entry, file, { signal, timeout: FILE_MS });
      // Away, or changed: the next refresh shows which.
      return connection.use(read, { signal }).catch(() => null);
    },
  }));
}

type FileEntry = readonly [path: string, file: StoredFile];

/** Adds skills to the incoming contents, each as a whole or not at all. */
class SkillImport {
  readonly #incoming: IncomingContents;
  readonly #folders = new FolderNames();
  readonly #paths = new TreePaths();
  readonly #memory: Record<string, string> = {};
  readonly #last: ReadonlyMap<string, readonly FileEntry[]>;
  readonly #ahead: Ahead;
  #skills = 0;
  /** Of skills whose skill file was read though it was not to be. */
  readonly #readAhead: string[] = [];

  constructor(incoming: IncomingContents, ahead: Ahead) {
    this.#incoming = incoming;
    this.#ahead = ahead;
    this.#last = bySkill(incoming.last?.files ?? new Map());
  }

  async add(skill: ListedSkill): Promise<void> {
    this.#skills += 1;
    const { limits, last } = this.#incoming;
    if (this.#skills > limits.maxSkills) throw tooManySkills(this.#skills, limits);
    let folder: string;
    try {
      folder = this.#folders.create(skill.at, skill.segments);
    } catch (error) {
      this.#refuse(skill.at, error, []);
      return;
    }
    const before = this.#last.get(folder) ?? [];
    const { version } = skill;
    const kept = last?.memory[folder];
    try {
      if (kept !== undefined && before.length > 0 && remembered(kept).version === version) {
        this.#keep(before);
        this.#memory[folder] = kept;
        this.#note(skill.at, remembered(kept).elsewhere);
        return;
      }
      const { files, elsewhere = [], entry = skill.at } = await skill.read();
      const stored = await this.#store(files);
      this.#keep(stored.map(([path, file]) => [`${folder}/${path}`, file]));
      const memory: Remembered = { version: version ?? '', entry, elsewhere };
      this.#note(skill.at, elsewhere);
      if (version !== undefined) this.#memory[folder] = JSON.stringify(memory);
    } catch (error) {
      const isKept = this.#refuse(skill.at, error, before);
      if (kept !== undefined && isKept)
        this.#memory[folder] = JSON.stringify({ ...remembered(kept), version: '' });
    }
  }

  /** The version is also that of the files that were not read. */
  finish(): Contents {
    const [first] = this.#readAhead;
    if (first !== undefined) {
      const others = this.#readAhead.length - 1;
      const which = `${JSON.stringify(first.slice(0, 200))}${others > 0 ? ` and ${others} more` : ''}`;
      const message = `The server’s list does not say what ${which} are for, so their skill files were read ahead.`;
      this.#incoming.report('skill-read-ahead', '.', message, 'Set fetch to "instructions" to accept that.');
    }
    const contents = this.#incoming.finish(this.#memory);
    const elsewhere = Object.entries(this.#memory)
      .flatMap(([folder, memory]) =>
        remembered(memory).elsewhere.map(({ path, sha256 }) => `${folder}/${path}\0${sha256}\0`),
      )
      .toSorted();
    if (elsewhere.length === 0) return contents;
    return { ...contents, resolved: `sha256:${hash('sha256', contents.resolved + elsewhere.join(''))}` };
  }

  #note(at: string, elsewhere: readonly FileElsewhere[]): void {
    if (this.#ahead === 'list' && !elsewhere.some(({ path }) => fileKind(path) === 'skill'))
      this.#readAhead.push(at);
  }

  async #store(files: ReadonlyMap<string, Uint8Array>): Promise<FileEntry[]> {
    const stored: FileEntry[] = [];
    for (const [path, bytes] of files) stored.push([path, await this.#incoming.store(bytes)]);
    return stored;
  }

  #keep(files: readonly FileEntry[]): void {
    this.#paths.take(files.map(([path]) => path));
    for (const [path, file] of files) this.#incoming.add(path, file);
  }

  /**
   * Reports the skill and keeps its earlier files, if there are any whose names are free. True if it does. Rethrows an error that does
   * not concern this skill alone.
   */
  #refuse(at: string, error: unknown, before: readonly FileEntry[]): boolean {
    if (!concernsOneSkill(error)) throw error;
    let isKept = before.length > 0;
    try {
      this.#keep(before);
    } catch (collision) {
      if (!concernsOneSkill(collision)) throw collision;
      isKept = false;
    }
    const reason = errorMessage(error).replace(/\s+/g, ' ').slice(0, 500);
    const outcome = isKept ? 'was not updated' : 'was left out';
    const message = `${JSON.stringify(at.slice(0, 200))} ${outcome}: ${reason.replace(/[.!?]$/, '')}.`;
    this.#incoming.report('skill-refused', at.slice(0, 200), message, 'Report it to the server’s operator.');
    return isKept;
  }
}

/** The files of each skill's folder, without those of nested skills. */
function bySkill(files: ReadonlyMap<string, StoredFile>): Map<string, FileEntry[]> {
  const folders = findSkillFolders(files.keys());
  const owned = new Map<string, FileEntry[]>();
  for (const [path, file] of files) {
    let folder = path;
    do folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
    while (folder !== '' && !folders.has(folder));
    const own = owned.get(folder) ?? [];
    own.push([path, file]);
    owned.set(folder, own);
  }
  return owned;
}

/** True for errors that say nothing about the server's other skills: a failed check, or a file that it refused. */
function concernsOneSkill(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.InvalidResult;
  return error instanceof SkillRefusedError || error instanceof ProtocolError || error instanceof ZodError;
}
