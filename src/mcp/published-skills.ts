/**
 * Skills as the protocol's Skills extension publishes them: entries whose digests match the bytes that are served.
 * Built from the files on disk and checked against the index's digest, so everything published belongs to one
 * generation. Front matter is passed on as its author wrote it; `skills/` completes what the extension's rules demand.
 * `skills-extension.ts` serves them.
 */

import { SKILL_LIMITS, type Skill } from '@modelcontextprotocol/server/ext/skills';
import { LRUCache } from 'lru-cache';
import { errorMessage } from '../base/errors.ts';
import type { SkillOnDisk } from '../gateway/gateway.ts';
import { digestFiles, hashBytes, sha256InTurns } from '../skills/digest.ts';
import type { ServedSkillFile } from '../skills/served.ts';
import type { Log } from './errors.ts';

/** A file of a published skill, or of a skill nested in it. */
export interface PublishedFile {
  readonly uri: string;
  /** `sha256:` and 64 hex digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly mimeType: string;
}

export interface PublishedSkill {
  readonly skill: Skill;
  readonly files: readonly PublishedFile[];
}

/**
 * Why a skill is not published.
 * - `too-large`: it exceeds the extension's limits of files and bytes.
 * - `undescribed`: it says nothing about itself.
 * - `changed`: its files differ from the index, until they are indexed again.
 * - `unreadable`: a file cannot be read, or its name cannot be written as a URI.
 */
export type LeftOut = 'too-large' | 'undescribed' | 'changed' | 'unreadable';

/** `_meta` of an entry whose skill file is adapted: the ids of the diagnostics that made it necessary. */
const ADAPTED_KEY = 'io.github.skillgate/adapted';

/** `_meta` of an entry whose front matter has `allowed-tools` that others wrote elsewhere. */
const REMOTE_KEY = 'io.github.skillgate/remote-allowed-tools';

/** Skills read concurrently, to bound memory: each may have 16 MiB. */
const CONCURRENCY = 8;
/** Published skills in the cache; each takes a few kilobytes. */
const CACHED = 1_000;

/** Publishes skills and caches the latest. */
export class SkillPublisher {
  readonly #log: Log;
  readonly #cache = new LRUCache<string, Promise<PublishedSkill | LeftOut>>({ max: CACHED });

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why it is not published is also logged. Never rejects. */
  async publish(skill: SkillOnDisk): Promise<PublishedSkill | LeftOut> {
    const nested = await skill.nested();
    const key = [skill, ...nested].map(diskVersion).join('\n');
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const published = this.#publish(skill, nested, key);
    this.#cache.set(key, published);
    return published;
  }

  /** One result per skill, in their order. */
  async publishAll(skills: readonly SkillOnDisk[]): Promise<(PublishedSkill | LeftOut)[]> {
    const published: (PublishedSkill | LeftOut)[] = [];
    const queue = skills.entries();
    const work = async () => {
      for (const [at, skill] of queue) published[at] = await this.publish(skill);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return published;
  }

  async #publish(
    skill: SkillOnDisk,
    nested: readonly SkillOnDisk[],
    key: string,
  ): Promise<PublishedSkill | LeftOut> {
    const leftOut = (reason: LeftOut, message: string): LeftOut => {
      // Not cached: the next attempt may find the file again, or an updated index.
      if (reason === 'changed' || reason === 'unreadable') this.#cache.delete(key);
      this.#log(`${skill.entry.id} is not published: ${message}`);
      return reason;
    };
    try {
      const all = [skill, ...nested].flatMap(({ files }) => files);
      const total = all.reduce((sum, { size }) => sum + size, 0);
      if (all.length > SKILL_LIMITS.files || total > SKILL_LIMITS.bytes)
        return leftOut('too-large', `it has ${all.length} files of ${total} bytes.`);
      return (
        (await toPublished(skill, nested)) ?? leftOut('undescribed', 'it has no description and no text.')
      );
    } catch (error) {
      const reason = error instanceof ChangedError ? 'changed' : 'unreadable';
      return leftOut(reason, errorMessage(error));
    }
  }
}

/** Equal for equal files at equal addresses. */
const diskVersion = ({ root, entry, files }: SkillOnDisk) =>
  [root, entry.digest, ...files.flatMap(({ sha256 }) => sha256 ?? [])].join(' ');

class ChangedError extends Error {}

/** The served skill file of a skill, if it can be published, and all files as they are served. */
interface ServedFiles {
  readonly served: ServedSkillFile | null;
  readonly files: readonly PublishedFile[];
}

/** Null for a skill without a description; rejects if a file cannot be read or has changed. */
async function toPublished(
  skill: SkillOnDisk,
  nested: readonly SkillOnDisk[],
): Promise<PublishedSkill | null> {
  const { served, files: own } = await listServedFiles(skill);
  if (served === null) return null;
  const files = [...own];
  for (const inner of nested) files.push(...(await listServedFiles(inner)).files);
  files.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const meta = {
    ...(served.adapted.length > 0 && { [ADAPTED_KEY]: served.adapted }),
    ...(skill.entry.remote && skill.entry.allowedTools.length > 0 && { [REMOTE_KEY]: true }),
  };
  return {
    skill: {
      uri: `${skill.root}/SKILL.md`,
      frontmatter: { ...served.frontmatter },
      resources: files.map(({ uri, digest, size }) => ({ uri, digest, size })),
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    },
    files,
  };
}

/** Reads and hashes the skill's own files. */
async function listServedFiles(skill: SkillOnDisk): Promise<ServedFiles> {
  const { entry, files } = skill;
  const contents = await Promise.all(
    files
      .filter(({ sha256, standIn }) => sha256 === undefined || standIn)
      .map(async (file) => {
        const bytes = await skill.bytes(file.path, 'indexed');
        return { ...file, bytes, sha256: await sha256InTurns(bytes) };
      }),
  );
  if (digestFiles(contents.map(({ path, sha256 }) => ({ path, sha256 }))) !== entry.digest)
    throw new ChangedError('its files have changed since they were indexed.');
  const own = contents.find(({ path }) => path === entry.file);
  const served = own && (await toServedFile(skill, own.bytes));
  // A skill file of another server that is served as it is has its digest in that server's list: it need not be fetched.
  const isListed = ({ sha256, standIn }: SkillOnDisk['files'][number]) =>
    sha256 !== undefined && !(standIn && served && served.adapted.length > 0);
  const published = async ({ path, mimeType, standIn, ...written }: (typeof contents)[number]) => {
    const isServed = path === entry.file && served;
    const bytes = isServed ? (standIn ? await bytesServed(skill, path) : served.bytes) : written.bytes;
    const sha256 = bytes === written.bytes ? written.sha256 : hashBytes(bytes);
    return { uri: skillFileUri(skill, path), digest: `sha256:${sha256}`, size: bytes.length, mimeType };
  };
  const listed = files.filter(isListed);
  const others = contents.filter((file) => !listed.some(({ path }) => path === file.path));
  return {
    served: served ?? null,
    files: [
      ...(await Promise.all(others.map(published))),
      ...listed.map(({ path, size, mimeType, sha256 }): PublishedFile => {
        return { uri: skillFileUri(skill, path), digest: `sha256:${sha256}`, size, mimeType };
      }),
    ],
  };
}

/** The bytes that a client gets for one of the skill's files. */
export async function bytesServed(skill: SkillOnDisk, path: string): Promise<Uint8Array> {
  const bytes = await skill.bytes(path);
  if (path !== skill.entry.file) return bytes;
  const standIn = skill.files.some((file) => file.path === path && file.standIn);
  const known = standIn && (await toServedFile(skill, await skill.bytes(path, 'indexed')));
  if (known && known.adapted.length === 0) return bytes;
  return (await toServedFile(skill, bytes))?.bytes ?? bytes;
}

async function toServedFile(
  { entry, root }: SkillOnDisk,
  bytes: Uint8Array,
): Promise<ServedSkillFile | null> {
  // Loaded on first use: a server starts without these parsers.
  const { parseSkill } = await import('../skills/parse.ts');
  const { servedSkillFile } = await import('../skills/served.ts');
  const name = root.slice(root.lastIndexOf('/') + 1);
  return servedSkillFile(parseSkill(bytes, { path: entry.file, folder: name }), bytes, name);
}

/** The skill file is always called SKILL.md, however its author spelled that. */
export const skillFileUri = ({ entry, root }: SkillOnDisk, path: string) =>
  `${root}/${path === entry.file ? 'SKILL.md' : path.split('/').map(encodeURIComponent).join('/')}`;

/** The skill's file at a URI; undefined if it has none there. */
export function fileAt(skill: SkillOnDisk, uri: string): SkillOnDisk['files'][number] | undefined {
  try {
    const below = uri.startsWith(`${skill.root}/`)
      ? decodeURIComponent(uri.slice(skill.root.length + 1))
      : '';
    const path = below === 'SKILL.md' ? skill.entry.file : below;
    return skill.files.find((file) => file.path === path);
  } catch {
    return undefined;
  }
}
