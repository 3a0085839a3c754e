/**
 * Files of a skill as resources. Published skills have URIs of the Skills extension; files of other skills have
 * `skillgate:file?skill=…&path=…`, so every file that `skills/get` names can be read.
 */

import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Gateway, OlderHandlers } from '../../../src/app/extension-api.ts';
import { exactText } from '../../../src/base/text.ts';
import { GatewayError, type LoadedSkill } from '../../../src/gateway/gateway.ts';
import { demandWhole } from '../../../src/gateway/skill-files.ts';
import { type Log, type OpenFor, toProtocolError } from '../../../src/mcp/errors.ts';
import { type SkillPublisher, skillFileUri } from '../../../src/mcp/published-skills.ts';
import { loadWhole, readFirst, withRest } from '../../../src/mcp/whole-text.ts';
import { parseSkill } from '../../../src/skills/parse.ts';

const SCHEME = 'skillgate:file';

type FileReader = Pick<Gateway, 'find' | 'load' | 'publishableAt' | 'read'>;

/** A function from a file's path to its resource URI. */
export async function publishedUris(
  { entry }: Pick<LoadedSkill, 'entry'>,
  gateway: Pick<Gateway, 'publishableAt'>,
  publisher: SkillPublisher,
): Promise<(path: string) => string> {
  const found = await gateway.publishableAt(entry.uri);
  const published = found?.entry.id === entry.id ? await publisher.publish(found) : undefined;
  const own = new Set(typeof published === 'object' ? found?.files.map(({ path }) => path) : []);
  return (path) => (found && own.has(path) ? skillFileUri(found, path) : fileUri(entry.id, path));
}

const fileUri = (skill: string, path: string) =>
  `${SCHEME}?skill=${encodeURIComponent(skill)}&path=${encodeURIComponent(path)}`;

/** Reads `skillgate:file` URIs. */
export const fileReader =
  (gateway: OpenFor<FileReader>, log: Log): OlderHandlers['readResource'] =>
  async ({ href, searchParams }, ctx) => {
    const skill = searchParams.get('skill') ?? '';
    const path = searchParams.get('path') ?? '';
    try {
      return { contents: [await fileContents(await gateway(ctx), skill, path, href)] };
    } catch (error) {
      if (error instanceof GatewayError && NOT_FOUND.includes(error.code))
        throw new ResourceNotFoundError(href, error.message);
      throw toProtocolError(error, log);
    }
  };

const NOT_FOUND: readonly GatewayError['code'][] = [
  'SKILL_UNKNOWN',
  'SKILL_AMBIGUOUS',
  'SKILL_GONE',
  'PATH_UNKNOWN',
  'PATH_REFUSED',
];

type FileContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** A whole file as resource contents, every byte of it. Rejects with `GatewayError`. */
export async function fileContents(
  gateway: FileReader,
  skill: string,
  path: string,
  uri: string,
): Promise<FileContents> {
  // Checks what may be read.
  const read = await readFirst(gateway, skill, path);
  const { mimeType } = read;
  if (read.kind === 'image') return { uri, mimeType, blob: read.base64 };
  const found = await gateway.publishableAt((await gateway.find({ skill })).entry.uri);
  const bytes = await found?.bytes(read.path).catch(() => undefined);
  if (bytes !== undefined) demandWhole(path, bytes.length);
  const text = bytes && exactText(bytes);
  if (text !== undefined) return { uri, mimeType, text };
  // Of a skill that is not published, or in another encoding.
  return { uri, mimeType, text: (await withRest(gateway, skill, read.path, read.slice)).text };
}

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

/** Bytes of a file that say what it is. */
const START = 4_096;

/** The first lines of a text file in its own encoding, without front matter. */
export function decodeStart(bytes: Uint8Array, path: string): string {
  // A character that is cut would be taken for another encoding.
  const end = bytes.length <= START ? bytes.length : bytes.lastIndexOf(10, START);
  return parseSkill(bytes.subarray(0, end === -1 ? START : end), { path, folder: '' }).body;
}
