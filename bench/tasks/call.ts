/**
 * The script `skills.mjs` of a working folder: `node skills.mjs TASK TOOL '{…}'` calls a tool and prints its answer. It logs each call.
 * What the tools are depends on the way: those of the built server, or a host's own two, which load by name only.
 */

import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { containedPath } from '../../src/skills/containment.ts';
import { readFrontMatter } from '../../src/skills/parse.ts';
import { tokensIn, withClient } from '../tokens.ts';
import { type Call, WAYS } from './tasks.ts';

/** Of `call.json`, which the working folder has next to the script. */
export const callSettings = z.strictObject({
  way: z.enum(WAYS),
  /** Folder of the skills. */
  catalog: z.string(),
  /** Arguments of node for the server. */
  server: z.array(z.string()),
});
type CallSettings = z.infer<typeof callSettings>;

interface Answer {
  readonly text: string;
  /** As in `Call`. */
  readonly skill: string | null;
}

const named = z.object({ skill: z.string() });

/** Answers a call, and logs it to `log`. */
export async function call(
  settings: CallSettings,
  log: string,
  [task, tool, json]: readonly [task: string, tool: string, json: string],
): Promise<string> {
  const args = z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  const { text, skill } =
    settings.way === 'host' ? ofHost(settings, tool, args) : await ofServer(settings, tool, args);
  const row: Call = { task, tool, arguments: args, tokens: tokensIn(json) + tokensIn(text), skill };
  appendFileSync(log, `${JSON.stringify(row)}\n`);
  return text;
}

async function ofServer({ server }: CallSettings, tool: string, args: Record<string, unknown>) {
  return withClient(server, async (client): Promise<Answer> => {
    const { content, isError } = await client.callTool({ name: tool, arguments: args });
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const given = named.safeParse(args).data?.skill;
    return { text, skill: isError === true || given === undefined ? null : nameOf(given) };
  });
}

/** The folder's name in an id, a name or a URI. */
const nameOf = (skill: string) =>
  skill
    .replace(/\/SKILL\.md$/, '')
    .split('/')
    .at(-1)!;

const hostArguments = z.strictObject({ skill: z.string(), path: z.string().optional() });

function ofHost({ catalog }: CallSettings, tool: string, args: Record<string, unknown>): Answer {
  const parsed = hostArguments.safeParse(args);
  if (!parsed.success || (tool !== 'load' && tool !== 'read'))
    return { text: 'The tools are load {"skill"} and read {"skill", "path"}.', skill: null };
  const { skill, path = 'SKILL.md' } = parsed.data;
  const folder = join(catalog, skill);
  if (!/^[a-z0-9-]+$/.test(skill) || !existsSync(folder))
    return { text: `There is no skill ${skill}.`, skill: null };
  const contained = containedPath(path);
  const file = contained.ok ? join(folder, contained.path) : null;
  if (file === null || !existsSync(file) || !statSync(file).isFile())
    return { text: `The skill ${skill} has no file ${path}.`, skill };
  const text = readFileSync(file, 'utf8');
  if (tool === 'read') return { text, skill };
  // A host names the folder, whose files an agent can list.
  const others = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'SKILL.md')
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return { text: `Files: ${others.sort().join(', ')}\n\n${readFrontMatter(text, path).split.body}`, skill };
}
