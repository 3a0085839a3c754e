/**
 * `npm run bench -- sandbox`: what the sandbox adds to the time of a script. Each script of the example skills runs bare
 * and in the sandbox in turn, so other load on the machine affects both alike. Prints medians and 90th percentiles.
 */

import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { openSandbox } from '../extensions/scripts/sandbox/open.ts';
import type { GivenFile, Sandbox } from '../extensions/scripts/sandbox/sandbox.ts';
import { quantile } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';
import { machine } from './machine.ts';
import { EXAMPLE_SKILLS } from './paths.ts';
import { publish, writeJson } from './results-file.ts';

interface SandboxOptions {
  readonly repeat: number;
  readonly out: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

interface Case {
  readonly name: string;
  readonly program: string;
  readonly skill: string;
  readonly script: string | null;
}

interface Figure {
  readonly name: string;
  readonly bareMs: number;
  readonly sandboxedMs: number;
  /** Median of the differences within a round. */
  readonly overheadMs: number;
  /** 90th percentile of the differences. */
  readonly overheadP90Ms: number;
}

const PROGRAMS: Readonly<Record<string, string>> = { '.py': 'python3', '.mjs': 'node', '.sh': 'bash' };
/** The example scripts print their usage for this input. */
const INPUT = '{}';
/** Rounds before the measured ones. */
const WARM_UP = 3;

export async function measureSandbox({ repeat, out, write }: SandboxOptions): Promise<void> {
  const sandbox = openSandbox({
    platform: process.platform,
    architecture: process.arch,
    uid: process.getuid?.() ?? -1,
    path: process.env.PATH ?? '',
    programs: { node: process.execPath },
  });
  const { layer, problems } = await sandbox.status();
  if (layer === null) throw new Error(problems.join(' '));
  const cases: Case[] = [{ name: 'nothing (true)', program: 'true', skill: EXAMPLE_SKILLS, script: null }];
  for (const path of (await readdir(EXAMPLE_SKILLS, { recursive: true })).sort()) {
    const [skill = '', folder, script] = path.split('/');
    const program = PROGRAMS[extname(path)];
    if (folder === 'scripts' && script !== undefined && program !== undefined)
      cases.push({
        name: `${skill}/${script}`,
        program,
        skill: join(EXAMPLE_SKILLS, skill),
        script: `scripts/${script}`,
      });
  }
  const figures: Figure[] = [];
  for (const each of cases) figures.push(await measure(each, sandbox, repeat));
  await writeJson(out, 'sandbox.json', { machine: machine(), layer, repeat, figures });
  const conditions = `Medians of ${repeat} rounds, bare and sandboxed in turn, in the layer ${layer}.`;
  await publish({ name: 'sandbox', title: 'Sandbox', figures: table(figures), conditions }, write);
}

async function measure(each: Case, sandbox: Sandbox, repeat: number): Promise<Figure> {
  const files = each.script === null ? [] : await filesOf(each.skill);
  const program = sandbox.programPath(each.program) ?? each.program;
  const bare: number[] = [];
  const sandboxed: number[] = [];
  for (let round = -WARM_UP; round < repeat; round++) {
    const times = [
      await timed(() => runBare(program, each.script === null ? [] : [join(each.skill, each.script)])),
      await timed(() => runSandboxed(sandbox, each, files)),
    ] as const;
    if (round < 0) continue;
    bare.push(times[0]);
    sandboxed.push(times[1]);
  }
  const differences = sandboxed.map((ms, at) => ms - (bare[at] ?? 0));
  return {
    name: each.name,
    bareMs: quantile(bare, 0.5),
    sandboxedMs: quantile(sandboxed, 0.5),
    overheadMs: quantile(differences, 0.5),
    overheadP90Ms: quantile(differences, 0.9),
  };
}

async function filesOf(folder: string): Promise<GivenFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const absolute = join(entry.parentPath, entry.name);
        return { path: absolute.slice(folder.length + 1), bytes: await readFile(absolute) };
      }),
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function runBare(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.on('error', () => {});
    child.stdin.end(INPUT);
    child.on('error', reject).on('close', () => resolve());
  });
}

const runSandboxed = (sandbox: Sandbox, { program, script }: Case, readOnly: readonly GivenFile[]) =>
  sandbox.run({
    command: program,
    args: script === null ? [] : [`/skill/${script}`],
    readOnly,
    work: [],
    stdin: Buffer.from(INPUT),
    env: {},
    limits: {
      wallMs: 30_000,
      cpuMs: 30_000,
      memoryBytes: 512 * 2 ** 20,
      processes: 64,
      fileBytes: 64 * 2 ** 20,
      workBytes: 256 * 2 ** 20,
      outputBytes: 2 ** 20,
    },
    keep: { files: 200, bytes: 16 * 2 ** 20 },
  });

function table(figures: readonly Figure[]): string {
  const ms = (value: number) => value.toFixed(1);
  const rows = figures.map(({ name, bareMs, sandboxedMs, overheadMs, overheadP90Ms }) => [
    name,
    ms(bareMs),
    ms(sandboxedMs),
    ms(overheadMs),
    ms(overheadP90Ms),
  ]);
  return columns([['script', 'bare ms', 'sandbox ms', 'more ms', 'p90 more'], ...rows]);
}
