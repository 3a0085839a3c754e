/**
 * Skills by the two older drafts, which send name, description and instructions apart and have no digests to verify. Draft A has
 * `skills/list`, `skills/read` and `skills/read_reference`; draft B (SEP-2076) has `skills/list`, `skills/get` by name, and files by
 * `resources/read`.
 */

import { ProtocolError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { MAX_PUBLISHED_FILES } from '../../../src/sources/source.ts';
import {
  contentsSchema,
  decodeContents,
  type FetchContext,
  type ListedSkill,
  listedSkills,
  readResource,
  SkillFiles,
  SkillRefusedError,
} from './fetch-context.ts';
import { memberPath } from './folder-names.ts';
import { skillText } from './skill-text.ts';

const entryASchema = z.looseObject({
  name: z.string().min(1).max(1_024),
  description: z.string().optional(),
  title: z.string().optional(),
  keywords: z.array(z.string()).optional(),
});
const fileSchema = z.looseObject({ name: z.string(), path: z.string().optional() });
const skillASchema = z.looseObject({
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

export const byDraftA = (context: FetchContext) => byName(context, entryASchema, readA);

async function readA(entry: z.output<typeof entryASchema>, context: FetchContext) {
  const { name } = entry;
  const { client, options } = context;
  const { skill } = await client.request({ method: 'skills/read', params: { name } }, skillASchema, options);
  const files = new SkillFiles(context);
  const { description = entry.description ?? '', instructions, metadata } = skill;
  const merged = {
    title: entry.title,
    ...(entry.keywords !== undefined && { keywords: entry.keywords.join(', ') }),
    ...metadata,
  };
  files.add('SKILL.md', skillText({ name, description, instructions, metadata: merged, tools: [] }));
  const members = [skill.references, skill.scripts, skill.assets].flatMap((list) => list ?? []);
  const readMemberPath = (member: z.output<typeof fileSchema>) => member.path ?? member.name;
  await addMembers(files, members, readMemberPath, (member) =>
    readReference(name, readMemberPath(member), context),
  );
  return { files: files.files };
}

/** Null if the server lists a file but does not give it: the draft requires that only for references. */
async function readReference(name: string, reference: string, { client, options }: FetchContext) {
  try {
    const request = { method: 'skills/read_reference', params: { name, reference } };
    const { content } = await client.request(request, referenceSchema, options);
    const [first] = Array.isArray(content) ? content : [content];
    return first === undefined ? null : decodeContents(first);
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}

const dependenciesSchema = z.looseObject({ tools: z.array(z.string()).nullish() }).nullish();
const entryBSchema = z.looseObject({
  name: z.string().min(1).max(1_024),
  title: z.string().optional(),
  description: z.string().optional(),
  version: z.string().optional(),
  tags: z.array(z.string()).nullish(),
  arguments: z.array(z.looseObject({ name: z.string() })).nullish(),
  dependencies: dependenciesSchema,
});
const skillBSchema = z.looseObject({
  description: z.string().optional(),
  instructions: z.string(),
  dependencies: dependenciesSchema,
  files: z.array(z.looseObject({ name: z.string(), uri: z.string() })).nullish(),
});

export const byDraftB = (context: FetchContext) => byName(context, entryBSchema, readB);

async function readB(entry: z.output<typeof entryBSchema>, context: FetchContext) {
  const { name, title, version, tags } = entry;
  // Each argument gets its own placeholder as value, so that the text stays a template.
  const given = Object.fromEntries(
    (entry.arguments ?? []).map((argument) => [argument.name, `$${argument.name}`]),
  );
  const params = { name, ...(Object.keys(given).length > 0 && { arguments: given }) };
  const skill = await context.client.request({ method: 'skills/get', params }, skillBSchema, context.options);
  const files = new SkillFiles(context);
  const metadata = {
    title,
    version,
    ...(tags?.length && { tags: tags.join(', ') }),
  };
  const { description = entry.description ?? '', instructions } = skill;
  const tools = skill.dependencies?.tools ?? entry.dependencies?.tools ?? [];
  files.add('SKILL.md', skillText({ name, description, instructions, metadata, tools }));
  const read = ({ uri }: { uri: string }) => readResource(context, uri);
  await addMembers(files, skill.files ?? [], (member) => member.name, read);
  return { files: files.files };
}

/** Both drafts list skills by name. */
const byName = <Entry extends { readonly name: string }>(
  context: FetchContext,
  schema: z.ZodType<Entry>,
  read: (entry: Entry, context: FetchContext) => ReturnType<ListedSkill['read']>,
): AsyncGenerator<ListedSkill> =>
  listedSkills(context, schema, (entry) => ({
    at: entry.name,
    segments: entry.name.split('/'),
    read: () => read(entry, context),
  }));

/** Adds the listed files, of which `read` gives the bytes; null leaves one out. */
async function addMembers<Member>(
  files: SkillFiles,
  members: readonly Member[],
  pathOf: (member: Member) => string,
  read: (member: Member) => Promise<Uint8Array | null>,
): Promise<void> {
  if (members.length > MAX_PUBLISHED_FILES)
    throw new SkillRefusedError(`it lists more than ${MAX_PUBLISHED_FILES} files`);
  for (const member of members) {
    const path = memberPath(pathOf(member));
    if (path === 'SKILL.md') continue;
    const bytes = await read(member);
    if (bytes !== null) files.add(path, bytes);
  }
}
