/** Skills by SEP-2076: `skills/list`, `skills/get` by name, files by `resources/read`. It has no digests to verify. */

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
import { readResource } from './read-resource.ts';
import { skillText } from './skill-text.ts';

const dependenciesSchema = z.looseObject({ tools: z.array(z.string()).nullish() }).nullish();
const entrySchema = z.looseObject({
  name: z.string().min(1).max(1_024),
  title: z.string().optional(),
  description: z.string().optional(),
  version: z.string().optional(),
  tags: z.array(z.string()).nullish(),
  arguments: z.array(z.looseObject({ name: z.string() })).nullish(),
  dependencies: dependenciesSchema,
});
const skillSchema = z.looseObject({
  description: z.string().optional(),
  instructions: z.string(),
  dependencies: dependenciesSchema,
  files: z.array(z.looseObject({ name: z.string(), uri: z.string() })).nullish(),
});

export const byDraftB = (context: FetchContext): AsyncGenerator<ListedSkill> =>
  listedSkills(context, entrySchema, (entry) => ({
    at: entry.name,
    segments: entry.name.split('/'),
    read: () => readSkill(entry, context),
  }));

async function readSkill(entry: z.output<typeof entrySchema>, context: FetchContext) {
  const { name, title, version, tags } = entry;
  // Each argument gets its own placeholder as value, so that the text stays a template.
  const given = Object.fromEntries(
    (entry.arguments ?? []).map((argument) => [argument.name, `$${argument.name}`]),
  );
  const params = { name, ...(Object.keys(given).length > 0 && { arguments: given }) };
  const skill = await context.client.request({ method: 'skills/get', params }, skillSchema, context.options);
  const files = new SkillFiles(context);
  const metadata = {
    title,
    version,
    ...(tags?.length && { tags: tags.join(', ') }),
  };
  const { description = entry.description ?? '', instructions } = skill;
  const tools = skill.dependencies?.tools ?? entry.dependencies?.tools ?? [];
  files.add('SKILL.md', skillText({ name, description, instructions, metadata, tools }));
  const members = skill.files ?? [];
  if (members.length > MAX_FILES) throw new SkillRefusedError(`it lists more than ${MAX_FILES} files`);
  for (const { name: path, uri } of members) {
    const member = memberPath(path);
    if (member !== 'SKILL.md') files.add(member, await readResource(context, uri));
  }
  return { files: files.files };
}
