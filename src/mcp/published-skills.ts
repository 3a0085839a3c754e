/**
 * Skills as the protocol's Skills extension publishes them: entries whose digests match the bytes that are served.
 * Built from the files on disk and checked against the index's digest, so everything published belongs to one
 * generation. `skills-extension.ts` and `drafts/` serve them.
 */

import {
  SKILL_LIMITS,
  type Skill,
  SkillCatalogError,
  skillEntry,
} from '@modelcontextprotocol/server/ext/skills';
import { LRUCache } from 'lru-cache';
import { messageOf } from '../errors/public.ts';
import type { LoadedFile, SkillOnDisk } from '../gateway/public.ts';
import { digestFiles } from '../skills/public.ts';
import type { Log } from './errors.ts';

/** A file of a published skill. `path` is relative to the skill's folder. */
export interface PublishedFile {
  readonly uri: string;
  /** `sha256:` and 64 hex digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly path: string;
  readonly mimeType: string;
}

export interface PublishedSkill {
  readonly skill: Skill;
  /** URI of the skill's folder, without a slash at its end. */
  readonly root: string;
  readonly files: readonly PublishedFile[];
}

/**
 * Skills per page of `skills/list`, which reads and hashes all their files. The MCP Inspector stops after 64 pages, which
 * is 32,000 skills.
 */
export const PAGE = 500;
/** Skills read concurrently, to bound memory: each may have 16 MiB. */
const CONCURRENCY = 8;
/** Published skills in the cache; each takes a few kilobytes. */
const CACHED = 1_000;

/** Publishes skills and caches the latest. A skill that breaks the extension's rules is not published. */
export class SkillPublisher {
  readonly #log: Log;
  readonly #cache = new LRUCache<string, Promise<PublishedSkill | undefined>>({ max: CACHED });

  constructor(log: Log) {
    this.#log = log;
  }

  /** Undefined if the skill cannot be published; the reason is logged. Never rejects. */
  publish(skill: SkillOnDisk): Promise<PublishedSkill | undefined> {
    const key = `${skill.entry.uri} ${skill.entry.digest}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const published = this.#publish(skill, key);
    this.#cache.set(key, published);
    return published;
  }

  /** One result per skill, in their order. */
  async publishAll(skills: readonly SkillOnDisk[]): Promise<(PublishedSkill | undefined)[]> {
    const published: (PublishedSkill | undefined)[] = [];
    const queue = skills.entries();
    const work = async () => {
      for (const [at, skill] of queue) published[at] = await this.publish(skill);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return published;
  }

  async #publish(skill: SkillOnDisk, key: string): Promise<PublishedSkill | undefined> {
    try {
      return await publishedOf(skill);
    } catch (error) {
      // Not cached: the next attempt may find the file again, or an updated index.
      this.#cache.delete(key);
      const problems = error instanceof SkillCatalogError ? error.problems.map(({ message }) => message) : [];
      const reason = problems.length > 0 ? problems.join('; ') : messageOf(error);
      this.#log(`${skill.entry.id} is not published: ${reason}`);
      return undefined;
    }
  }
}

/** Reads and hashes all its files. Rejects if a file cannot be read or has changed, or if the skill breaks a rule. */
async function publishedOf({ entry, files, bytes }: SkillOnDisk): Promise<PublishedSkill> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > SKILL_LIMITS.files) throw new Error(`it has more than ${SKILL_LIMITS.files} files.`);
  if (total > SKILL_LIMITS.bytes) throw new Error(`its files have more than ${SKILL_LIMITS.bytes} bytes.`);
  const contents = await Promise.all(files.map(async ({ path }) => ({ path, bytes: await bytes(path) })));
  if (digestFiles(contents) !== entry.digest)
    throw new Error('its files have changed since they were indexed.');
  const root = entry.uri.replace(/\/[^/]*$/, '');
  const cut = root.lastIndexOf('/');
  const record = Object.fromEntries(contents.map((file) => [file.path, file.bytes]));
  const name = decodeURIComponent(root.slice(cut + 1));
  const skill = await skillEntry(name, record, { baseUri: root.slice(0, cut) });
  return { skill, root, files: publishedFiles(skill, root, files) };
}

/** The entry's resources with their paths and media types. */
function publishedFiles({ resources }: Skill, root: string, files: readonly LoadedFile[]): PublishedFile[] {
  const types = new Map(files.map(({ path, mimeType }) => [path, mimeType]));
  return (resources === 'dynamic' ? [] : resources).map((resource) => {
    const path = pathBelow(root, resource.uri) ?? '';
    return { ...resource, path, mimeType: types.get(path) ?? 'application/octet-stream' };
  });
}

/** The decoded path of a URI below a folder's URI; undefined if it is elsewhere or not a valid URI. */
export function pathBelow(root: string, uri: string): string | undefined {
  if (!uri.startsWith(`${root}/`)) return undefined;
  try {
    return decodeURIComponent(uri.slice(root.length + 1));
  } catch {
    return undefined;
  }
}
