/** Skills by the older draft: `skills/list`, `skills/read` and `skills/read_reference`. It has no digests to verify. */

import { ProtocolError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { MAX_FILES } from '../scan/skill-folder.ts';
import {
  type FetchContext,
  type ListedSkill,
  listedSkills,
  SkillFiles,
  SkillRefusedError,
} from './fetch-context.ts';
import { memberPath } from './folder-names.ts';
import { bytesOf, contentsSchema } from './read-resource.ts';
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

export const byDraftA = (context: FetchContext): AsyncGenerator<ListedSkill> =>
  listedSkills(context, entrySchema, (entry) => ({
    at: entry.name,
    segments: entry.name.split('/'),
    read: () => readSkill(entry, context),
  }));

async function readSkill(entry: z.output<typeof entrySchema>, context: FetchContext) {
  const { name } = entry;
  const { client, options } = context;
  const { skill } = await client.request({ method: 'skills/read', params: { name } }, skillSchema, options);
  const files = new SkillFiles(context);
  const { description = entry.description ?? '', instructions, metadata } = skill;
  const merged = {
    title: entry.title,
    ...(entry.keywords !== undefined && { keywords: entry.keywords.join(', ') }),
    ...metadata,
  };
  files.add('SKILL.md', skillText({ name, description, instructions, metadata: merged, tools: [] }));
  const members = [skill.references, skill.scripts, skill.assets].flatMap((list) => list ?? []);
  if (members.length > MAX_FILES) throw new SkillRefusedError(`it lists more than ${MAX_FILES} files`);
  for (const { name: fileName, path = fileName } of members) {
    const member = memberPath(path);
    if (member === 'SKILL.md') continue;
    const bytes = await readReference(name, path, context);
    if (bytes !== null) files.add(member, bytes);
  }
  return { files: files.files };
}

/** Null if the server lists a file but does not give it: the draft requires that only for references. */
async function readReference(name: string, reference: string, { client, options }: FetchContext) {
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
