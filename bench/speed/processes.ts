/** Runs the built program as users do: indexing, one search in a fresh process, and an MCP server on stdio. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { quantile } from '../evaluation/statistics.ts';
import type { Latency } from './figures.ts';
import { type FinishedRun, measuredEnvironment, medianOf, runNode, type Usage } from './usage.ts';

/** A built program and its catalog. */
export interface BuiltProgram {
  readonly program: string;
  /** Options for the folders of skills and the index. */
  readonly args: readonly string[];
}

const report = z.object({ skills: z.number(), passages: z.number(), changed: z.number(), added: z.number() });

type IndexRun = FinishedRun & z.infer<typeof report>;

export async function runIndex({ program, args }: BuiltProgram): Promise<IndexRun> {
  const run = await runNode([program, 'index', '--json', ...args]);
  return { ...run, ...report.parse(JSON.parse(run.stdout)) };
}

/** Median over `times` runs, each after `prepare`. Throws if a run does not find `changes` changed skills. */
export async function runIndexAfter(
  built: BuiltProgram,
  times: number,
  changes: number,
  prepare: (round: number) => Promise<void>,
): Promise<FinishedRun> {
  let round = 0;
  return medianOf(times, async () => {
    await prepare(round++);
    const run = await runIndex(built);
    if (run.changed !== changes)
      throw new Error(`Expected ${changes} changed skills, and the index run found ${run.changed}.`);
    return run;
  });
}

export const searchOnce = ({ program, args }: BuiltProgram, query: string, times: number) =>
  medianOf(times, () => runNode([program, 'search', query, '--json', ...args]));

/** A running server. */
interface RunningServer {
  /** Time from the start of the process to the answer of tools/list, ms. */
  readonly listMs: number;
  /** Time since the start of the process, ms. */
  readonly elapsed: () => number;
  readonly search: (query: string) => Promise<string>;
}

/** Starts a server with the arguments `node`, calls `use`, and ends the server. */
export async function withServer<T>(
  node: readonly string[],
  use: (served: RunningServer) => Promise<T>,
): Promise<{ readonly result: T; readonly usage: Usage }> {
  const { env, read } = measuredEnvironment();
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  const client = new Client({ name: 'skillgate-bench', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...node],
    env,
    stderr: 'ignore',
  });
  await client.connect(transport);
  await client.listTools();
  const listMs = elapsed();
  const search = async (query: string) => {
    const answer = await client.callTool({ name: 'search_skills', arguments: { query } });
    const text = JSON.stringify(answer.structuredContent ?? answer.content);
    if (answer.isError) throw new Error(`A search returned an error: ${text}`);
    return text;
  };
  const result = await use({ listMs, elapsed, search });
  await client.close();
  return { result, usage: await read() };
}

/** Searches before the timed ones. The engine has compiled the hot code by then. */
const WARM_UP = 200;

/** Times of `searches` warm calls in ms, over the queries in turn. */
export async function timesOf(
  search: (query: string) => Promise<unknown>,
  queries: readonly string[],
  searches: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < WARM_UP + searches; count++) {
    const start = performance.now();
    await search(queries[count % queries.length]!);
    if (count >= WARM_UP) times.push(performance.now() - start);
  }
  return times;
}

export function latencyOf(times: readonly number[]): Latency {
  const at = (q: number) => quantile([...times], q);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Name of the skill that the benchmark edits. No file of the user changes. */
export const PROBE = 'bench-probe';

/** The probe's description with `word`. Every hit of the probe shows it, whichever passage is the evidence. */
export const probeDescription = (word: string) => `A skill that the benchmark edits. It mentions ${word}.`;

/** Writes the probe skill with `word` below `folder`. */
export async function writeProbe(folder: string, word: string): Promise<void> {
  const skill = join(folder, PROBE);
  await mkdir(skill, { recursive: true });
  const text = `---\nname: ${PROBE}\ndescription: ${probeDescription(word)}\n---\n\n# Probe\n\nIt mentions ${word}.\n`;
  await writeFile(join(skill, 'SKILL.md'), text);
}
