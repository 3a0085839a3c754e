/**
 * Skills as the protocol's Skills extension publishes them: an entry whose digests match the bytes that are served.
 * Made from files as they lie on disk and checked against the index's digest, so that everything published belongs
 * to one generation. Which methods serve it is for `skills-extension.ts`.
 */

import {
  SKILL_LIMITS,
  type Skill,
  SkillCatalogError,
  skillEntry,
} from '@modelcontextprotocol/server/ext/skills';
import type { LoadedFile, SkillOnDisk } from '../gateway/gateway.ts';
import { digestFiles } from '../skills/digest.ts';
import type { Log } from './log.ts';

/** A file of a published skill: what it must hash to, and where it lies in the skill's folder. */
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
 * Skills of a page of `skills/list`: their files are read and hashed for it. The Inspector gives up after 64 pages:
 * this is 32,000 skills.
 */
export const PAGE = 500;
/** Skills read at a time, to bound memory: each may have 16 MiB. */
const AT_A_TIME = 8;
/** Published skills kept ready; an entry with its files takes a few kilobytes. */
const KEPT = 1_000;

/** Publishes skills one by one and remembers the latest; those that break the extension's rules come to nothing. */
export class SkillPublisher {
  readonly #log: Log;
  readonly #made = new Map<string, Promise<PublishedSkill | undefined>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Undefined where the skill is not fit to be published: why is logged. Never rejects. */
  publish(skill: SkillOnDisk): Promise<PublishedSkill | undefined> {
    const key = `${skill.entry.uri} ${skill.entry.digest}`;
    const made = this.#made.get(key) ?? this.#make(skill, key);
    this.#made.delete(key);
    this.#made.set(key, made);
    const [oldest] = this.#made.keys();
    if (this.#made.size > KEPT && oldest !== undefined) this.#made.delete(oldest);
    return made;
  }

  /** One for each, in their order. */
  async publishAll(skills: readonly SkillOnDisk[]): Promise<(PublishedSkill | undefined)[]> {
    const made: (PublishedSkill | undefined)[] = [];
    const left = skills.entries();
    const work = async () => {
      for (const [at, skill] of left) made[at] = await this.publish(skill);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return made;
  }

  async #make(skill: SkillOnDisk, key: string): Promise<PublishedSkill | undefined> {
    try {
      return await published(skill);
    } catch (error) {
      // It is tried again next time: a file may be back by then, or the index up to date.
      this.#made.delete(key);
      const reasons = error instanceof SkillCatalogError ? error.problems : [error];
      const reason = reasons.map((each) =>
        each instanceof Object && 'message' in each ? each.message : each,
      );
      this.#log(`${skill.entry.id} is not published: ${reason.join('; ')}`);
      return undefined;
    }
  }
}

/** Reads and hashes all its files. Rejects where one cannot be read, has changed, or breaks a rule. */
async function published({ entry, files, bytes }: SkillOnDisk): Promise<PublishedSkill> {
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

/** The entry's resources with their paths and types. */
function publishedFiles({ resources }: Skill, root: string, files: readonly LoadedFile[]): PublishedFile[] {
  const types = new Map(files.map(({ path, mimeType }) => [path, mimeType]));
  return (resources === 'dynamic' ? [] : resources).map((resource) => {
    const path = pathBelow(root, resource.uri) ?? '';
    return { ...resource, path, mimeType: types.get(path) ?? 'application/octet-stream' };
  });
}

/** The path that a URI names below a folder's, decoded; undefined where it lies elsewhere or is no URI. */
export function pathBelow(root: string, uri: string): string | undefined {
  if (!uri.startsWith(`${root}/`)) return undefined;
  try {
    return decodeURIComponent(uri.slice(root.length + 1));
  } catch {
    return undefined;
  }
}
