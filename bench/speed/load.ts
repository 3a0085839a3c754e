/**
 * `npm run bench -- load`: many askers at once, for a while. Over stdio every client has a server process of its own,
 * as agents start them; in process they share one. Counts answers, loses none, and looks at memory as time passes.
 */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { columns } from '../../src/evaluation/public.ts';
import { EXAMPLE_SKILLS, SHIPPED_DATASET } from '../places.ts';
import { writeFigures } from '../readme.ts';
import { latencyOf, runIndex } from './processes.ts';
import { readQueries } from './queries.ts';
import { programOf } from './run.ts';
import { runNode } from './usage.ts';

export interface LoadOptions {
  readonly skills?: readonly string[];
  readonly queries?: string;
  readonly clients: number;
  readonly seconds: number;
  readonly program?: string;
  readonly writeReadme?: boolean;
}

/** Servers that start at the same time: more would only wait for each other. */
const STARTING = 4;
/** Memory is looked at once so many seconds have passed, and at the end. */
const SETTLED_SHARE = 0.25;

export const loadReport = z.object({
  asked: z.number(),
  answered: z.number(),
  /** ms */
  latency: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }),
  /** Resident sets of all servers, bytes: once settled, and at the end; null where the system does not tell. */
  settledBytes: z.number().nullable(),
  endBytes: z.number().nullable(),
});
export type LoadReport = z.infer<typeof loadReport>;

export async function measureLoad(options: LoadOptions): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'skillgate-load-'));
  try {
    const skills = (options.skills ?? [EXAMPLE_SKILLS]).map((folder) => resolve(folder));
    const index = join(scratch, 'index');
    const args = [...skills.flatMap((folder) => ['--skills', folder]), '--index', index];
    const queriesFile = resolve(options.queries ?? join(SHIPPED_DATASET, 'queries.jsonl'));
    const queries = await readQueries(queriesFile);
    const place = { program: programOf(options.program), args };
    const { skills: count } = await runIndex(place);
    const { clients, seconds } = options;
    const stdio = await overStdio([place.program, 'serve', ...args], queries, clients, seconds);
    const path = fileURLToPath(new URL('load-inside.ts', import.meta.url));
    const inside = async (threads: number) => {
      const settings = [clients, seconds, threads].map(String);
      const run = await runNode(['--import', 'tsx', path, index, queriesFile, ...settings, ...skills]);
      return loadReport.parse(JSON.parse(run.stdout));
    };
    const text = table(count, options, {
      [`${clients} clients over stdio, a process each`]: stdio,
      [`${clients} askers in one process`]: await inside(0),
      [`${clients} askers, searches in a thread beside`]: await inside(1),
      [`${clients} askers, searches in two threads`]: await inside(2),
    });
    process.stdout.write(text);
    if (options.writeReadme) await writeFigures('load', text);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function overStdio(
  server: readonly string[],
  queries: readonly string[],
  clients: number,
  seconds: number,
): Promise<LoadReport> {
  const open: { readonly client: Client; readonly pid: number | null }[] = [];
  while (open.length < clients)
    open.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(STARTING, clients - open.length) }, () => connect(server)),
      )),
    );
  const memory = () => residentBytes(open.flatMap(({ pid }) => pid ?? []));
  const report = await askTogether(
    open.map(({ client }) => async (query: string) => {
      const answer = await client.callTool({ name: 'search_skills', arguments: { query } });
      return answer.isError !== true && answer.structuredContent !== undefined;
    }),
    queries,
    seconds,
    memory,
  );
  await Promise.all(open.map(({ client }) => client.close()));
  return report;
}

async function connect(server: readonly string[]) {
  const client = new Client({ name: 'skillgate-bench', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...server],
    stderr: 'ignore',
  });
  await client.connect(transport);
  return { client, pid: transport.pid };
}

/** Each asker asks one query after the other until the time is up; `ask` resolves to whether it was answered. */
export async function askTogether(
  askers: readonly ((query: string) => Promise<boolean>)[],
  queries: readonly string[],
  seconds: number,
  memory: () => number | null,
): Promise<LoadReport> {
  const started = performance.now();
  const until = started + 1000 * seconds;
  const times: number[] = [];
  let asked = 0;
  let answered = 0;
  let settledBytes: number | null = null;
  const settled = setTimeout(
    () => {
      settledBytes = memory();
    },
    1000 * seconds * SETTLED_SHARE,
  );
  await Promise.all(
    askers.map(async (ask, number) => {
      for (let turn = number; performance.now() < until; turn += 1) {
        const start = performance.now();
        asked += 1;
        if (await ask(queries[turn % queries.length]!)) answered += 1;
        times.push(performance.now() - start);
      }
    }),
  );
  clearTimeout(settled);
  return { asked, answered, latency: latencyOf(times), settledBytes, endBytes: memory() };
}

/** Null where the system does not say, as elsewhere than on Linux. */
function residentBytes(pids: readonly number[]): number | null {
  let sum = 0;
  for (const pid of pids) {
    try {
      const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
      sum += Number(pages) * 4096;
    } catch {
      return null;
    }
  }
  return sum;
}

function table(
  skills: number,
  { seconds }: LoadOptions,
  reports: Readonly<Record<string, LoadReport>>,
): string {
  const mb = (bytes: number | null) => (bytes === null ? '–' : (bytes / 2 ** 20).toFixed(0));
  const rows = Object.entries(reports).map(([name, { asked, answered, latency, settledBytes, endBytes }]) => [
    name,
    (answered / seconds).toFixed(0),
    latency.p50.toFixed(1),
    latency.p99.toFixed(1),
    String(asked - answered),
    mb(settledBytes),
    mb(endBytes),
  ]);
  const head = [
    `${skills} skills, ${seconds} s`,
    'answers/s',
    'p50 ms',
    'p99 ms',
    'lost',
    'MB then',
    'MB at end',
  ];
  return columns([head, ...rows], [0]);
}
