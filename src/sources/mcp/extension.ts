/**
 * Skills by the Skills extension (SEP-2640). The list has each file's size and digest, and the SDK's client verifies
 * every file against them.
 */

import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { type Skill, SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import * as z from 'zod';
import { sha256Of } from '../../skills/digest.ts';
import { readYaml } from '../../skills/yaml.ts';
import { MAX_FILES } from '../scan/skill-folder.ts';
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
import { pathBelow, segmentsOf } from './folder-names.ts';

/** Most folders of a skill whose files are not listed. */
const MAX_FOLDERS = 128;
const SKILL_FILE = '/SKILL.md';

/** The SDK checks the rest of an entry when it reads a file. */
const entrySchema = z.looseObject({ uri: z.string().max(2_048) });
const childSchema = z.looseObject({ uri: z.string(), mimeType: z.string().optional() });

export function byExtension(context: FetchContext): AsyncGenerator<ListedSkill> {
  const skills = new SkillsClient(context.client, { parseFrontmatter });
  return listedSkills(context, entrySchema, (entry, text) => {
    const { uri } = entry;
    // Not checked here: the SDK checks the entry at the first read, before it requests a file.
    const skill = entry as Skill;
    const root = uri.endsWith(SKILL_FILE) ? uri.slice(0, -SKILL_FILE.length) : uri;
    // The list does not describe the files of a dynamic skill, so it has no version.
    const version = skill.resources === 'dynamic' ? undefined : sha256Of(Buffer.from(text));
    const read = () => readSkill(skill, root, skills, context);
    return { at: uri, segments: segmentsOf(root), read, version };
  });
}

/** If entry and files disagree, the skill may have changed in between: it is read once more. */
async function readSkill(skill: Skill, root: string, skills: SkillsClient, context: FetchContext) {
  try {
    return await readFiles(skill, root, skills, context);
  } catch (error) {
    if (!(error instanceof SkillVerificationError)) throw refusal(error);
  }
  try {
    const { skill: again } = await skills.get(skill.uri, context.options);
    return await readFiles(again, root, skills, context);
  } catch (error) {
    throw refusal(error);
  }
}

async function readFiles(skill: Skill, root: string, skills: SkillsClient, context: FetchContext) {
  const { options } = context;
  const files = new SkillFiles(context);
  const read = async (path: string, uri?: string) => {
    const { bytes } = await skills.read(skill, uri, { ...options, cacheMode: 'bypass' });
    files.add(path, bytes);
  };
  // The skill file first: if it fails its check, no other file is requested.
  await read('SKILL.md');
  const listed = await urisOf(skill, root, skills, context);
  // A skill in its folder is listed by itself, and so are its files.
  const nested = listed.filter((uri) => uri.endsWith(SKILL_FILE) && uri !== skill.uri);
  const inside = (uri: string) =>
    nested.some((other) => uri.startsWith(other.slice(0, 1 - SKILL_FILE.length)));
  const others = listed.filter((uri) => uri !== skill.uri && !inside(uri));
  if (context.readsAll || skill.resources === 'dynamic') {
    for (const uri of others) await read(pathBelow(root, uri), uri);
    return { files: files.files };
  }
  const wanted = new Set(others);
  const elsewhere = skill.resources
    .filter(({ uri }) => wanted.has(uri))
    .map(({ uri, size, digest }): FileElsewhere => {
      const path = pathBelow(root, uri);
      files.reserve(path);
      return { path, uri, size, sha256: digest.replace(/^sha256:/, '') };
    });
  return { files: files.files, elsewhere };
}

/** The bytes of a file that was not read ahead; null where the server no longer has them. */
export async function readElsewhere(
  client: Client,
  skillUri: string,
  { uri, sha256 }: FileElsewhere,
  options: RequestOptions,
): Promise<Uint8Array | null> {
  const skills = new SkillsClient(client, { parseFrontmatter });
  const { skill } = await skills.get(skillUri, options);
  const { bytes } = await skills.read(skill, uri, { ...options, cacheMode: 'bypass' });
  return sha256Of(bytes) === sha256 ? bytes : null;
}

async function urisOf(skill: Skill, root: string, skills: SkillsClient, context: FetchContext) {
  if (skill.resources === 'dynamic') return directoryOf(root, skills, context);
  const bytes = skill.resources.reduce((sum, { size }) => sum + size, 0);
  if (skill.resources.length > MAX_FILES)
    throw new SkillRefusedError(`it lists more than ${MAX_FILES} files`);
  if (bytes > MAX_SKILL_BYTES)
    throw new SkillRefusedError(`it lists files of more than ${MAX_SKILL_BYTES} bytes`);
  return skill.resources.map(({ uri }) => uri);
}

/** Every file below the root, folder by folder. */
async function directoryOf(root: string, skills: SkillsClient, { client, options }: FetchContext) {
  if (!skills.directoryRead) return [];
  const files: string[] = [];
  const folders = [root];
  for (let at = 0; at < folders.length; at++) {
    const params = { uri: folders[at] };
    for await (const item of listItems(client, 'resources/directory/read', 'resources', {
      ...options,
      params,
    })) {
      const child = childSchema.parse(item);
      const uri = child.uri.replace(/\/$/, '');
      pathBelow(root, uri);
      const kind = child.mimeType === 'inode/directory' ? folders : files;
      if (folders.includes(uri) || files.includes(uri)) continue;
      kind.push(uri);
      if (folders.length > MAX_FOLDERS)
        throw new SkillRefusedError(`it has more than ${MAX_FOLDERS} folders`);
      if (files.length > MAX_FILES) throw new SkillRefusedError(`it has more than ${MAX_FILES} files`);
    }
  }
  return files;
}

/** All of YAML; the SDK's own parser reads a subset. */
const parseFrontmatter = (yaml: string) => ({ ...readYaml(yaml, 1, 'SKILL.md').keys });

/** Turns an error that concerns only this skill into a `SkillRefusedError`. */
function refusal(error: unknown): unknown {
  if (error instanceof SkillVerificationError || error instanceof z.ZodError)
    return new SkillRefusedError(error.message);
  return error instanceof TypeError ? new SkillRefusedError(error.message) : error;
}
