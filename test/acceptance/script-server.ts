/** The built server with scripts enabled, over stdio, in its own folder; and checks of what runs leave behind. */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openSandbox } from '../../extensions/scripts/sandbox/open.ts';
import { MACHINE } from '../machine.ts';
import { connected } from './client.ts';
import { prepareIndex, skillFile, type Workplace } from './command.ts';

const { problems } = await openSandbox(MACHINE).status();

/** False where this machine has no sandbox: tests that need one then report that they were skipped. */
export const sandboxed = problems.length === 0;
if (!sandboxed) console.warn(`Tests of scripts in a sandbox are skipped: ${problems.join(' ')}`);

/** Writes a skill whose scripts are the given texts by file name. */
export function writeSkill(place: Workplace, name: string, scripts: Readonly<Record<string, string>>): void {
  place.write(`skills/${name}/SKILL.md`, skillFile(name, `run tests of ${name}`));
  for (const [file, text] of Object.entries(scripts)) place.write(`skills/${name}/scripts/${file}`, text);
}

export const SWITCHED_ON = { enabled: true, sources: ['*'], skills: ['*'] };

export interface ScriptServer {
  readonly client: Client;
  readonly pid: number;
  /** Where the server puts temporary files. */
  readonly temporary: string;
  close(): Promise<void>;
}

export async function scriptServer(
  place: Workplace,
  {
    scripts = {},
    env = {},
    skills = join(place.folder, 'skills'),
  }: {
    readonly scripts?: Record<string, unknown>;
    readonly env?: Record<string, string>;
    readonly skills?: string;
  } = {},
): Promise<ScriptServer> {
  place.write('skillgate.config.json', JSON.stringify({ scripts: { ...SWITCHED_ON, ...scripts } }));
  const temporary = join(place.folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const index = join(place.folder, 'index');
  await prepareIndex(skills, index);
  const transport = new StdioClientTransport({
    ...place.server('--skills', skills, '--index', index),
    env: { ...place.environment, TMPDIR: temporary, ...env },
  });
  const client = await connected(transport, { mode: 'legacy' });
  await client.listTools();
  return { client, pid: transport.pid ?? 0, temporary, close: () => client.close() };
}

/** The part of run_script's answer that tests use. */
export interface Ran {
  readonly isError: boolean;
  readonly text: string;
  readonly digest: string;
  readonly exit_code: number | null;
  readonly killed_by: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly json?: unknown;
  readonly files: readonly { readonly path: string; readonly uri: string; readonly size: number }[];
  readonly left_out?: readonly { readonly path: string; readonly reason: string }[];
  readonly error?: { readonly code: string; readonly message: string };
}

export async function runScript(
  { client }: ScriptServer,
  skill: string,
  script: string,
  args: Readonly<Record<string, unknown>> = {},
  timeout?: number,
): Promise<Ran> {
  const result = await client.callTool(
    { name: 'run_script', arguments: { skill, script, arguments: args, ...(timeout && { timeout }) } },
    { timeout: 200_000 },
  );
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  // The client has validated it against the tool's own schema.
  return { ...(result.structuredContent as unknown as Ran), isError: result.isError === true, text };
}

/** All descendants of a process, by their command lines. */
export function descendantsOf(pid: number): string[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent, command }];
      } catch {
        return [];
      }
    });
  const below = new Set([pid]);
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const each of all) if (below.has(each.parent)) below.add(each.pid);
  }
  below.delete(pid);
  return all.filter((each) => below.has(each.pid)).map(({ command }) => command);
}

/** All processes of the machine whose command line contains the text. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
        return command.includes(text) ? [command] : [];
      } catch {
        return [];
      }
    });
}
