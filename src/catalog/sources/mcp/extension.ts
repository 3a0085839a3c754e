/**
 * Skills by the Skills extension (SEP-2640): the list says which files a skill has, how long they are and what they
 * hash to, and the SDK's client holds every file to it before it is given on.
 */

import { type Skill, SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import * as z from 'zod';
import { listed } from '../../../peers/pages.ts';
import { sha256Of } from '../../../skills/digest.ts';
import { readYaml } from '../../../skills/yaml.ts';
import { MAX_FILES } from '../folder.ts';
import { pathBelow, segmentsOf } from './places.ts';
import {
  type Found,
  listedSkills,
  MAX_SKILL_BYTES,
  type Reading,
  SkillFiles,
  SkillRefused,
} from './reading.ts';

/** Folders of a skill whose files are not listed. */
const MAX_FOLDERS = 128;
const SKILL_FILE = '/SKILL.md';

/** The rest of an entry is judged by the SDK when a file of it is read. */
const entrySchema = z.looseObject({ uri: z.string().max(2_048) });
const childSchema = z.looseObject({ uri: z.string(), mimeType: z.string().optional() });

export function byExtension(reading: Reading): AsyncGenerator<Found> {
  const skills = new SkillsClient(reading.client, { parseFrontmatter });
  return listedSkills(reading, entrySchema, (entry, text) => {
    const { uri } = entry;
    // Unproven here, and proven by the first read: the SDK refuses an entry that is none before it asks for a file.
    const skill = entry as Skill;
    const root = uri.endsWith(SKILL_FILE) ? uri.slice(0, -SKILL_FILE.length) : uri;
    // What a dynamic skill holds, the list does not say.
    const version = skill.resources === 'dynamic' ? undefined : sha256Of(Buffer.from(text));
    const read = () => readSkill(skill, root, skills, reading);
    return { at: uri, segments: segmentsOf(root), read, ...(version !== undefined && { version }) };
  });
}

/** A skill whose entry and files disagree may have changed between the two: it is asked for once more. */
async function readSkill(skill: Skill, root: string, skills: SkillsClient, reading: Reading) {
  try {
    return await readFiles(skill, root, skills, reading);
  } catch (error) {
    if (!(error instanceof SkillVerificationError)) throw refusal(error);
  }
  try {
    const { skill: again } = await skills.get(skill.uri, reading.options);
    return await readFiles(again, root, skills, reading);
  } catch (error) {
    throw refusal(error);
  }
}

async function readFiles(skill: Skill, root: string, skills: SkillsClient, reading: Reading) {
  const { options } = reading;
  const files = new SkillFiles(reading);
  const read = async (path: string, uri?: string) => {
    const { bytes } = await skills.read(skill, uri, { ...options, cacheMode: 'bypass' });
    files.add(path, bytes);
  };
  // First the file that says what the skill is: where it lies, nothing else is asked for.
  await read('SKILL.md');
  for (const uri of await urisOf(skill, root, skills, reading)) {
    const path = pathBelow(root, uri);
    if (path !== 'SKILL.md') await read(path, uri);
  }
  return files.files;
}

async function urisOf(skill: Skill, root: string, skills: SkillsClient, reading: Reading) {
  if (skill.resources === 'dynamic') return directoryOf(root, skills, reading);
  const bytes = skill.resources.reduce((sum, { size }) => sum + size, 0);
  if (skill.resources.length > MAX_FILES) throw new SkillRefused(`it lists more than ${MAX_FILES} files`);
  if (bytes > MAX_SKILL_BYTES) throw new SkillRefused(`it lists files of more than ${MAX_SKILL_BYTES} bytes`);
  return skill.resources.map(({ uri }) => uri);
}

/** Every file below the root, folder by folder. */
async function directoryOf(root: string, skills: SkillsClient, { client, options }: Reading) {
  if (!skills.directoryRead) return [];
  const files: string[] = [];
  const folders = [root];
  for (let at = 0; at < folders.length; at++) {
    const params = { uri: folders[at] };
    for await (const item of listed(client, 'resources/directory/read', 'resources', {
      ...options,
      params,
    })) {
      const child = childSchema.parse(item);
      const uri = child.uri.replace(/\/$/, '');
      pathBelow(root, uri);
      const kind = child.mimeType === 'inode/directory' ? folders : files;
      if (folders.includes(uri) || files.includes(uri)) continue;
      kind.push(uri);
      if (folders.length > MAX_FOLDERS) throw new SkillRefused(`it has more than ${MAX_FOLDERS} folders`);
      if (files.length > MAX_FILES) throw new SkillRefused(`it has more than ${MAX_FILES} files`);
    }
  }
  return files;
}

/** The whole of YAML, where the SDK's own parser reads a subset. */
const parseFrontmatter = (yaml: string) => ({ ...readYaml(yaml, 1, 'SKILL.md').keys });

/** What only this skill is to blame for. */
function refusal(error: unknown): unknown {
  if (error instanceof SkillVerificationError || error instanceof z.ZodError)
    return new SkillRefused(error.message);
  return error instanceof TypeError ? new SkillRefused(error.message) : error;
}
