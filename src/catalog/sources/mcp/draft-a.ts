/** Skills by the older draft of `skills/list`, `skills/read` and `skills/read_reference`. Nothing in it is verified. */

import { ProtocolError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { MAX_FILES } from '../folder.ts';
import { bytesOf, contentsSchema } from './contents.ts';
import { memberPath } from './places.ts';
import { type Found, listedSkills, type Reading, SkillFiles, SkillRefused } from './reading.ts';
import { skillText } from './skill-text.ts';

const entrySchema = z.looseObject({
  name: z.string().min(1).max(1_024),
  description: z.string().optional(),
  title: z.string().optional(),
  keywords: z.array(z.string()).optional(),
});
const fileSchema = z.looseObject({ name: z.string(), path: z.string().optional() });
const skillSchema = z.looseObject({
  skill: z.looseObject({
    description: z.string().optional(),
    instructions: z.string(),
    references: z.array(fileSchema).nullish(),
    scripts: z.array(fileSchema).nullish(),
    assets: z.array(fileSchema).nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  }),
});
const referenceSchema = z.looseObject({ content: z.union([contentsSchema, z.array(contentsSchema).min(1)]) });

export const byDraftA = (reading: Reading): AsyncGenerator<Found> =>
  listedSkills(reading, entrySchema, (entry) => ({
    at: entry.name,
    segments: entry.name.split('/'),
    read: () => readSkill(entry, reading),
  }));

async function readSkill(entry: z.output<typeof entrySchema>, reading: Reading) {
  const { name } = entry;
  const { client, options } = reading;
  const { skill } = await client.request({ method: 'skills/read', params: { name } }, skillSchema, options);
  const files = new SkillFiles(reading);
  const { description = entry.description ?? '', instructions, metadata } = skill;
  const told = {
    ...(entry.title !== undefined && { title: entry.title }),
    ...(entry.keywords !== undefined && { keywords: entry.keywords.join(', ') }),
    ...metadata,
  };
  files.add('SKILL.md', skillText({ name, description, instructions, metadata: told, tools: [] }));
  const beside = [skill.references, skill.scripts, skill.assets].flatMap((list) => list ?? []);
  if (beside.length > MAX_FILES) throw new SkillRefused(`it lists more than ${MAX_FILES} files`);
  for (const { name: called, path = called } of beside) {
    const member = memberPath(path);
    if (member === 'SKILL.md') continue;
    const bytes = await readReference(name, path, reading);
    if (bytes !== null) files.add(member, bytes);
  }
  return files.files;
}

/** Null where the server lists a file and does not give it: the draft promises that for references alone. */
async function readReference(name: string, reference: string, { client, options }: Reading) {
  try {
    const request = { method: 'skills/read_reference', params: { name, reference } };
    const { content } = await client.request(request, referenceSchema, options);
    const [first] = Array.isArray(content) ? content : [content];
    return first === undefined ? null : bytesOf(first);
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}
