/**
 * Makes the working folder of a solver: `PROMPT.md` (all that it is given), `requests.md` with `files/`, an empty `answers/`, and
 * `skills.mjs`, through which alone it reaches skills. The catalog and the index lie next to it, in `OUT.catalog` and `OUT.index`.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { HOSTS } from '../../extensions/connect/hosts.ts';
import { computeListing, type ListedSkill } from '../../extensions/connect/listing.ts';
import { here } from '../paths.ts';
import { tokensIn, withClient } from '../tokens.ts';
import type { callSettings } from './call.ts';
import { fillCatalog } from './catalog.ts';
import { PROMPTS, readTasks, type Setup, type Task, type Way } from './tasks.ts';

interface Preparation {
  readonly way: Way;
  readonly out: string;
  readonly skills: readonly string[];
  readonly size: number;
  readonly seed: number;
  readonly program: string;
}

/** Throws if `out` exists. */
export async function prepare({ way, out, program, ...draw }: Preparation): Promise<Setup> {
  const [catalog, index] = [`${resolve(out)}.catalog`, `${resolve(out)}.index`];
  for (const folder of [out, catalog])
    if (existsSync(folder)) throw new Error(`${folder} exists: name a new folder with --out.`);
  const skills = await fillCatalog(catalog, draw);
  const server = [resolve(program), 'serve', '--skills', catalog, '--index', index, '--answers', 'text'];
  const tasks = readTasks();
  const { prompt, presented, described } = await promptOf(way, skills, server, tasks);
  mkdirSync(join(out, 'answers'), { recursive: true });
  writeFileSync(join(out, 'PROMPT.md'), prompt);
  writeFileSync(join(out, 'requests.md'), requestsOf(tasks));
  for (const { id, files } of tasks)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(out, 'files', id), { recursive: true });
      writeFileSync(join(out, 'files', id, name), text);
    }
  const setup: Setup = {
    way,
    skills: way === 'none' ? 0 : skills.length,
    seed: draw.seed,
    promptTokens: tokensIn(presented),
    described,
  };
  writeFileSync(join(out, 'setup.json'), `${JSON.stringify(setup, null, 2)}\n`);
  if (way === 'none') return setup;
  if (way === 'skillgate')
    execFileSync(process.execPath, [resolve(program), 'index', '--skills', catalog, '--index', index], {
      stdio: 'ignore',
    });
  writeFileSync(
    join(out, 'call.json'),
    `${JSON.stringify({ way, catalog, server } satisfies ReturnType<typeof callSettings.parse>, null, 2)}\n`,
  );
  writeFileSync(join(out, 'calls.jsonl'), '');
  await build({
    entryPoints: [here('tasks/call-program.ts')],
    outfile: join(out, 'skills.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Packages in CommonJS call require.
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
    logLevel: 'error',
  });
  return setup;
}

/** The whole prompt, and the part of it that presents the skills. */
async function promptOf(
  way: Way,
  skills: readonly ListedSkill[],
  server: readonly string[],
  tasks: readonly Task[],
): Promise<{ readonly prompt: string; readonly presented: string; readonly described: number }> {
  const template = readFileSync(join(PROMPTS, `${way}.md`), 'utf8');
  if (way === 'none') return { prompt: template, presented: '', described: 0 };
  if (way === 'host') {
    const { list, withDescription } = hostList(skills);
    const described = tasks.filter(({ skill }) => withDescription.has(skill)).length;
    return { prompt: template.replace('{{list}}', () => list), presented: list, described };
  }
  return withClient(server, async (client) => {
    const instructions = client.getInstructions() ?? '';
    const tools = JSON.stringify((await client.listTools()).tools);
    const prompt = template.replace('{{instructions}}', () => instructions).replace('{{tools}}', () => tools);
    return { prompt, presented: `${instructions}\n${tools}`, described: 0 };
  });
}

/** The list as Claude Code puts it into a prompt: in order of name, some without a description. */
export function hostList(skills: readonly ListedSkill[]) {
  const { listing } = HOSTS.find(({ id }) => id === 'claude-code')!;
  const bare = new Set(computeListing(skills, listing).withoutDescription);
  const lines = skills.map(({ name, description }) =>
    bare.has(name) ? `- ${name}` : `- ${name}: ${description.slice(0, listing.mostDescription)}`,
  );
  return {
    list: lines.join('\n'),
    withDescription: new Set(skills.map(({ name }) => name).filter((name) => !bare.has(name))),
  };
}

/** All requests, each with where its files are and where its answer goes. */
const requestsOf = (tasks: readonly Task[]) =>
  tasks
    .map(({ id, request, files }) => {
      const names = Object.keys(files).map((name) => `files/${id}/${name}`);
      const attached = names.length === 0 ? '' : `\n\nAttached: ${names.join(', ')}`;
      return `## ${id}\n\n${request}${attached}\n`;
    })
    .join('\n');
