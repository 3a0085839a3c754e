/**
 * `npm run bench -- load`: many clients at once. Over stdio each client has its own server process, as agents start them;
 * in process they share one. Counts answers, and checks that none is lost and that memory stays bounded.
 */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { columns } from '../evaluation/table.ts';
import { residentBytes } from '../machine.ts';
import { here, withScratchFolder } from '../paths.ts';
import { publish } from '../results-file.ts';
import { latencyOf } from './processes.ts';
import { type SetupOptions, setUp } from './setup.ts';
import { runNode } from './usage.ts';

interface LoadOptions extends SetupOptions {
  readonly clients: number;
  /** Duration of each measurement. */
  readonly seconds: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** Servers that start at the same time. More would only compete for the processor. */
const STARTING = 4;
/** The first look at memory comes after this share of the time, the second at the end. */
const SETTLED_SHARE = 0.25;

const loadReport = z.object({
  sent: z.number(),
  answered: z.number(),
  /** ms */
  latency: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }),
  /** Resident sets of all servers, bytes: after a quarter of the time, and at the end. */
  settledBytes: z.number(),
  endBytes: z.number(),
});
type LoadReport = z.infer<typeof loadReport>;

export async function measureLoad(options: LoadOptions): Promise<void> {
  const { clients, seconds } = options;
  const figures = await withScratchFolder(async (scratch) => {
    const { program, args, folders, skills, index, queriesFile, queries } = await setUp(options, scratch);
    const stdio = await overStdio([program, 'serve', ...args], queries, clients, seconds);
    const child = here('speed/load-in-process.ts');
    const inProcess = async (threads: number) => {
      const settings = [clients, seconds, threads].map(String);
      const run = await runNode(['--import', 'tsx', child, index, queriesFile, ...settings, ...folders]);
      return loadReport.parse(JSON.parse(run.stdout));
    };
    return table(skills, seconds, {
      [`${clients} clients over stdio, a process each`]: stdio,
      [`${clients} clients in one process`]: await inProcess(0),
      [`${clients} clients, searches in one worker thread`]: await inProcess(1),
      [`${clients} clients, searches in two worker threads`]: await inProcess(2),
    });
  });
  await publish({ name: 'load', title: 'Concurrent clients', figures }, options.write);
}

async function overStdio(
  server: readonly string[],
  queries: readonly string[],
  clients: number,
  seconds: number,
): Promise<LoadReport> {
  const open: Awaited<ReturnType<typeof connect>>[] = [];
  while (open.length < clients) {
    const starting = Math.min(STARTING, clients - open.length);
    open.push(...(await Promise.all(Array.from({ length: starting }, () => connect(server)))));
  }
  const report = await runClients(
    open.map(({ client }) => async (query: string) => {
      const answer = await client.callTool({ name: 'search_skills', arguments: { query } });
      return answer.isError !== true && answer.structuredContent !== undefined;
    }),
    queries,
    seconds,
    () => residentBytes(open.flatMap(({ pid }) => pid ?? [])),
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

/** Each client sends one query after the other until the time is up. It resolves to whether it got an answer. */
export async function runClients(
  clients: readonly ((query: string) => Promise<boolean>)[],
  queries: readonly string[],
  seconds: number,
  memory: () => number,
): Promise<LoadReport> {
  const until = performance.now() + 1000 * seconds;
  const times: number[] = [];
  let sent = 0;
  let answered = 0;
  let settledBytes = 0;
  const settled = setTimeout(
    () => {
      settledBytes = memory();
    },
    1000 * seconds * SETTLED_SHARE,
  );
  await Promise.all(
    clients.map(async (client, number) => {
      for (let turn = number; performance.now() < until; turn += 1) {
        const start = performance.now();
        sent += 1;
        if (await client(queries[turn % queries.length]!)) answered += 1;
        times.push(performance.now() - start);
      }
    }),
  );
  clearTimeout(settled);
  return { sent, answered, latency: latencyOf(times), settledBytes, endBytes: memory() };
}

function table(skills: number, seconds: number, reports: Readonly<Record<string, LoadReport>>): string {
  const mb = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  const rows = Object.entries(reports).map(([name, { sent, answered, latency, settledBytes, endBytes }]) => [
    name,
    (answered / seconds).toFixed(0),
    latency.p50.toFixed(1),
    latency.p99.toFixed(1),
    String(sent - answered),
    mb(settledBytes),
    mb(endBytes),
  ]);
  const head = ['answers/s', 'p50 ms', 'p99 ms', 'lost', 'MB settled', 'MB at end'];
  return columns([[`${skills} skills, ${seconds} s`, ...head], ...rows], [0]);
}
