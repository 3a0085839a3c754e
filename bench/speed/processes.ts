/** The built program as its users run it: indexing, one answer in a fresh process, and an MCP server on stdio. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { quantile } from '../../src/evaluation/public.ts';
import type { Latency } from './figures.ts';
import { type Finished, medianOf, probed, runNode, type Usage } from './usage.ts';

/** A built program and the catalog it is run on. */
export interface Place {
  readonly program: string;
  /** Folders of skills, the index, in the command line's words. */
  readonly args: readonly string[];
}

const report = z.object({ skills: z.number(), passages: z.number(), changed: z.number(), added: z.number() });

export type IndexRun = Finished & z.infer<typeof report>;

export async function runIndex({ program, args }: Place): Promise<IndexRun> {
  const run = await runNode([program, 'index', '--json', ...args]);
  return { ...run, ...report.parse(JSON.parse(run.stdout)) };
}

/** Median over `times` runs, each after `prepare`; throws where a run did not find the change that was made. */
export async function runIndexAfter(
  place: Place,
  times: number,
  changes: number,
  prepare: (round: number) => Promise<void>,
): Promise<Finished> {
  let round = 0;
  return medianOf(times, async () => {
    await prepare(round++);
    const run = await runIndex(place);
    if (run.changed !== changes)
      throw new Error(`${changes} skills were changed, and ${run.changed} were indexed again.`);
    return run;
  });
}

export const searchOnce = ({ program, args }: Place, query: string, times: number) =>
  medianOf(times, () => runNode([program, 'search', query, '--json', ...args]));

/** A running server and what may be asked of it. */
export interface Served {
  /** From the start of the process to the answer of tools/list, ms. */
  readonly listMs: number;
  /** ms since the start of the process. */
  readonly elapsed: () => number;
  readonly search: (query: string) => Promise<string>;
}

/** Starts a server, lets `use` search it, and ends it; `node` are the arguments of the Node process. */
export async function withServer<T>(
  node: readonly string[],
  use: (served: Served) => Promise<T>,
): Promise<{ readonly result: T; readonly usage: Usage }> {
  const { env, read } = probed();
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
    if (answer.isError) throw new Error(`The server refused a search: ${text}`);
    return text;
  };
  const result = await use({ listMs, elapsed, search });
  await client.close();
  return { result, usage: await read() };
}

/** Searches before warm ones are timed: the engine has compiled what it will by then. */
const WARM_UP = 200;

/** Times of `searches` warm calls, the queries in turn. */
export async function timesOf(
  ask: (query: string) => Promise<unknown>,
  queries: readonly string[],
  searches: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < WARM_UP + searches; count++) {
    const start = performance.now();
    await ask(queries[count % queries.length]!);
    if (count >= WARM_UP) times.push(performance.now() - start);
  }
  return times;
}

export function latencyOf(times: readonly number[]): Latency {
  const at = (q: number) => quantile([...times], q);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** The skill that is changed to measure an update: nobody else's file is. */
export const PROBE = 'bench-probe';

/** What the probe says of itself when it speaks of `word`: every hit of it shows that, whichever passage is its evidence. */
export const probeSaying = (word: string) => `Stands in for a skill that is edited to speak of ${word}.`;

/** Writes it below `folder`, speaking of `word`. */
export async function writeProbe(folder: string, word: string): Promise<void> {
  const skill = join(folder, PROBE);
  await mkdir(skill, { recursive: true });
  const text = `---\nname: ${PROBE}\ndescription: ${probeSaying(word)}\n---\n\n# Probe\n\nIt speaks of ${word}.\n`;
  await writeFile(join(skill, 'SKILL.md'), text);
}
