/** Skills by SEP-2076: `skills/list`, `skills/get` by name, files by `resources/read`. Nothing in it is verified. */

import * as z from 'zod';
import { MAX_FILES } from '../folder.ts';
import { readResource } from './contents.ts';
import { memberPath } from './places.ts';
import { type Found, listedSkills, type Reading, SkillFiles, SkillRefused } from './reading.ts';
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

export const byDraftB = (reading: Reading): AsyncGenerator<Found> =>
  listedSkills(reading, entrySchema, (entry) => ({
    at: entry.name,
    segments: entry.name.split('/'),
    read: () => readSkill(entry, reading),
  }));

async function readSkill(entry: z.output<typeof entrySchema>, reading: Reading) {
  const { name, title, version, tags } = entry;
  // Every argument is filled in with its own placeholder, so that the text stays the template that it is.
  const given = Object.fromEntries(
    (entry.arguments ?? []).map((argument) => [argument.name, `$${argument.name}`]),
  );
  const params = { name, ...(Object.keys(given).length > 0 && { arguments: given }) };
  const skill = await reading.client.request({ method: 'skills/get', params }, skillSchema, reading.options);
  const files = new SkillFiles(reading);
  const metadata = {
    ...(title !== undefined && { title }),
    ...(version !== undefined && { version }),
    ...(tags?.length && { tags: tags.join(', ') }),
  };
  const { description = entry.description ?? '', instructions } = skill;
  const tools = skill.dependencies?.tools ?? entry.dependencies?.tools ?? [];
  files.add('SKILL.md', skillText({ name, description, instructions, metadata, tools }));
  const beside = skill.files ?? [];
  if (beside.length > MAX_FILES) throw new SkillRefused(`it lists more than ${MAX_FILES} files`);
  for (const { name: path, uri } of beside) {
    const member = memberPath(path);
    if (member !== 'SKILL.md') files.add(member, await readResource(reading, uri));
  }
  return files.files;
}
