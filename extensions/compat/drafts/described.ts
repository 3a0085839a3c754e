/** What front matter says of a skill's files, and the instructions as they stand in the skill file. */

import * as z from 'zod';
import type { Gateway, LoadedSkill } from '../../../src/gateway/gateway.ts';
import { loadWhole } from '../../../src/mcp/whole-text.ts';
import { parseSkill } from '../../../src/skills/parse.ts';

interface Described {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

/** Lists of files, each with a path. */
const KEYS = ['files', 'references', 'scripts', 'assets'] as const;

const text = z.string().optional().catch(undefined);
const fileSchema = z
  .object({
    path: text,
    file: text,
    name: text,
    title: text,
    description: text,
    required: z.boolean().optional().catch(undefined),
  })
  .transform(({ path, file, name, ...described }) => ({ path: path ?? file ?? name ?? '', ...described }));

/** By path in the skill's folder, from lists of `{path, title, description, required}`. */
export function describedFiles(frontmatter: Readonly<Record<string, unknown>>): Map<string, Described> {
  const { metadata } = frontmatter;
  const items = [frontmatter, Object(metadata) as typeof frontmatter].flatMap((from) =>
    KEYS.flatMap((key): unknown[] => (Array.isArray(from[key]) ? from[key] : [])),
  );
  return new Map(
    items.flatMap((item) => {
      const { path, ...described } = fileSchema.safeParse(item).data ?? { path: '' };
      return path === '' ? [] : [[path.replace(/^\.\//, ''), described]];
    }),
  );
}

/** The skill with its whole instructions, line ends and the last one as in the file. Only blank lines above are left out. */
export async function loadAsWritten(
  gateway: Pick<Gateway, 'load' | 'read' | 'publishableAt'>,
  skill: string,
): Promise<LoadedSkill> {
  const loaded = await loadWhole(gateway, skill);
  const { entry, instructions } = loaded;
  const found = await gateway.publishableAt(entry.uri);
  const bytes = found?.entry.id === entry.id ? await found.bytes(entry.file).catch(() => null) : null;
  if (bytes === null) return loaded;
  const { body } = parseSkill(bytes, { path: entry.file, folder: '' });
  return { ...loaded, instructions: { ...instructions, text: body.replace(/^(?:[ \t]*\r?\n)+/, '') } };
}
