/**
 * Skills by the Skills extension (SEP-2640). The list has each file's size and digest, and the SDK's client verifies
 * every file against them.
 */

import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { type Skill, SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import * as z from 'zod';
import { hashBytes } from '../../../src/skills/digest.ts';
import { readYaml } from '../../../src/skills/yaml.ts';
import { MAX_PUBLISHED_FILES } from '../../../src/sources/source.ts';
import { listItems } from '../upstream/pagination.ts';
import {
  type FetchContext,
  type FileElsewhere,
  type ListedSkill,
  listedSkills,
  MAX_SKILL_BYTES,
  SkillFiles,
  SkillRefusedError,
} from './fetch-context.ts';
import { pathBelow, rootSegments } from './folder-names.ts';
import { standInText } from './skill-text.ts';

/** Most folders of a skill whose files are not listed. */
const MAX_FOLDERS = 128;
const SKILL_FILE = '/SKILL.md';

/** The SDK checks the rest of an entry when it reads a file. */
const entrySchema = z.looseObject({ uri: z.string().max(2_048) });
const childSchema = z.looseObject({ uri: z.string(), mimeType: z.string().optional() });
/** An entry that says enough of a skill to find it, and to check its files when they are read. */
const describedSchema = z.object({
  frontmatter: z.looseObject({ name: z.string().min(1), description: z.string().min(1) }),
  resources: z.array(
    z.object({ uri: z.string(), size: z.int().min(0), digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) }),
  ),
});
const resourcesSchema = z.array(z.looseObject({ uri: z.string() }));

/** A skill as it is read: by its own entry, or by that of the skill whose folder it lies in. */
interface Listed {
  readonly uri: string;
  /** What the files are verified against. */
  readonly entry: Skill;
}

export async function* byExtension(context: FetchContext): AsyncGenerator<ListedSkill> {
  const reader = new SkillReader(context);
  /** Skill files in the folders of listed skills, each with the entry of the innermost of these. */
  const nested = new Map<string, Skill>();
  const dynamic: ListedSkill[] = [];
  const found = (skill: Listed, version?: string): ListedSkill => ({
    at: skill.uri,
    segments: rootSegments(skillRoot(skill.uri)),
    ...(version !== undefined && { version: hashBytes(Buffer.from(version)) }),
    read: () => reader.read(skill),
  });
  yield* listedSkills(context, entrySchema, (listed, text) => {
    const { uri } = listed;
    // Not checked here: the SDK checks the entry at the first read, before it requests a file.
    const entry = listed as Skill;
    reader.listed.add(uri);
    if (entry.resources === 'dynamic') {
      // The list does not describe its files, so it has no version.
      dynamic.push(found({ uri, entry }));
      return null;
    }
    for (const inner of nestedIn(entry))
      if (uri.length > (nested.get(inner)?.uri.length ?? 0)) nested.set(inner, entry);
    return found({ uri, entry }, text);
  });
  // Now it is known which nested skills are listed by themselves.
  yield* dynamic;
  for (const [uri, entry] of nested)
    if (!reader.listed.has(uri))
      yield found({ uri, entry }, JSON.stringify(filesBelow(skillRoot(uri), entry)));
}

const skillRoot = (uri: string) => (uri.endsWith(SKILL_FILE) ? uri.slice(0, -SKILL_FILE.length) : uri);

function nestedIn({ uri, resources }: Skill): string[] {
  const found = resourcesSchema.safeParse(resources).data ?? [];
  return found
    .map((file) => file.uri)
    .filter((file) => file.endsWith(SKILL_FILE) && file !== uri && file.startsWith(`${skillRoot(uri)}/`));
}

const filesBelow = (root: string, { resources }: Skill) =>
  resources === 'dynamic' ? [] : resources.filter(({ uri }) => uri.startsWith(`${root}/`));

/** Reads the skills of one fetch. */
class SkillReader {
  /** URIs of the skills that the list has by themselves. */
  readonly listed = new Set<string>();
  readonly #context: FetchContext;
  readonly #skills: SkillsClient;

  constructor(context: FetchContext) {
    this.#context = context;
    this.#skills = new SkillsClient(context.client, { parseFrontmatter });
  }

  /** If entry and files disagree, the skill may have changed in between: it is read once more. */
  async read({ uri, entry }: Listed) {
    try {
      return await this.#files({ uri, entry });
    } catch (error) {
      if (!(error instanceof SkillVerificationError)) throw refusal(error);
    }
    try {
      const { skill: again } = await this.#skills.get(entry.uri, this.#context.options);
      return await this.#files({ uri, entry: again });
    } catch (error) {
      throw refusal(error);
    }
  }

  async #files({ uri, entry }: Listed) {
    const { options, ahead } = this.#context;
    const root = skillRoot(uri);
    const files = new SkillFiles(this.#context);
    const read = async (file: string) => {
      const { bytes } = await this.#skills.read(entry, file, { ...options, cacheMode: 'bypass' });
      files.add(file === uri ? 'SKILL.md' : pathBelow(root, file), bytes);
    };
    const described =
      ahead === 'list' && entry.uri === uri ? describedSchema.safeParse(entry).data : undefined;
    const isListed = described?.resources.some((file) => file.uri === uri);
    const standIn = (isListed && described?.frontmatter) || null;
    if (standIn !== null) files.add('SKILL.md', standInText(standIn));
    // The skill file first: if it fails its check, no other file is requested.
    else await read(uri);
    const others = this.#others(uri, await this.#urisOf(entry, root), entry);
    if (ahead === 'all' || entry.resources === 'dynamic') {
      for (const file of others) await read(file);
      return { files: files.files };
    }
    const wanted = new Set(standIn !== null ? [uri, ...others] : others);
    const elsewhere = entry.resources
      .filter((file) => wanted.has(file.uri))
      .map(({ uri: file, size, digest }): FileElsewhere => {
        const found = { uri: file, size, sha256: digest.replace(/^sha256:/, '') };
        if (file === uri) return { path: 'SKILL.md', ...found };
        const path = pathBelow(root, file);
        files.reserve(path);
        return { path, ...found };
      });
    return { files: files.files, elsewhere, entry: standIn === null ? entry.uri : entry };
  }

  /** A nested skill has a folder of its own, except in one whose files no list names: those are read here or nowhere. */
  #others(uri: string, all: readonly string[], { resources }: Skill): string[] {
    const nested = all.filter(
      (file) =>
        file.endsWith(SKILL_FILE) && file !== uri && (resources !== 'dynamic' || this.listed.has(file)),
    );
    const inside = (file: string) =>
      nested.some((other) => file.startsWith(other.slice(0, 1 - SKILL_FILE.length)));
    return all.filter((file) => file !== uri && !inside(file));
  }

  async #urisOf(entry: Skill, root: string): Promise<string[]> {
    if (entry.resources === 'dynamic') return this.#skills.directoryRead ? this.#directory(root) : [];
    const bytes = entry.resources.reduce((sum, { size }) => sum + size, 0);
    if (entry.resources.length > MAX_PUBLISHED_FILES)
      throw new SkillRefusedError(`it lists more than ${MAX_PUBLISHED_FILES} files`);
    if (bytes > MAX_SKILL_BYTES)
      throw new SkillRefusedError(`it lists files of more than ${MAX_SKILL_BYTES} bytes`);
    const own = entry.uri === `${root}${SKILL_FILE}` ? entry.resources : filesBelow(root, entry);
    return own.map(({ uri }) => uri);
  }

  /** Every file below the root, folder by folder. */
  async #directory(root: string): Promise<string[]> {
    const { client, options } = this.#context;
    const files: string[] = [];
    const folders = [root];
    for (const folder of folders) {
      const page = { ...options, params: { uri: folder } };
      for await (const item of listItems(client, 'resources/directory/read', 'resources', page)) {
        const child = childSchema.parse(item);
        const uri = child.uri.replace(/\/$/, '');
        pathBelow(root, uri);
        if (folders.includes(uri) || files.includes(uri)) continue;
        (child.mimeType === 'inode/directory' ? folders : files).push(uri);
        if (folders.length > MAX_FOLDERS)
          throw new SkillRefusedError(`it has more than ${MAX_FOLDERS} folders`);
        if (files.length > MAX_PUBLISHED_FILES)
          throw new SkillRefusedError(`it has more than ${MAX_PUBLISHED_FILES} files`);
      }
    }
    return files;
  }
}

/** The bytes of a file that was not read ahead, verified against the entry; null where the server no longer has them. */
export async function readElsewhere(
  client: Client,
  entry: string | Skill,
  { uri, sha256 }: FileElsewhere,
  options: RequestOptions,
): Promise<Uint8Array | null> {
  const skills = new SkillsClient(client, { parseFrontmatter });
  const skill = typeof entry === 'string' ? (await skills.get(entry, options)).skill : entry;
  const { bytes } = await skills.read(skill, uri, { ...options, cacheMode: 'bypass' });
  return hashBytes(bytes) === sha256 ? bytes : null;
}

/** All of YAML; the SDK's own parser reads a subset. */
const parseFrontmatter = (yaml: string) => ({ ...readYaml(yaml, 1, 'SKILL.md').keys });

/** Turns an error that concerns only this skill into a `SkillRefusedError`. */
function refusal(error: unknown): unknown {
  if (error instanceof SkillVerificationError || error instanceof z.ZodError)
    return new SkillRefusedError(error.message);
  return error instanceof TypeError ? new SkillRefusedError(error.message) : error;
}
