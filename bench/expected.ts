/**
 * The figures that the shipped datasets are known to give (`bench/expected.json`): the test suite measures them again,
 * so that no change moves quality unseen.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Evaluation } from '../src/evaluation/public.ts';

const FILE = fileURLToPath(new URL('expected.json', import.meta.url));

/** Systems whose figures depend on this repository alone, not on a package or on the machine. */
const KEPT = ['bm25-card', 'dense-card', 'semantic-then-keyword', 'bm25f', 'dense-exact', 'rrf-60', 'hybrid'];

/** Value in [0, 1] by measure, for all queries and for each group that is not all of them. */
const scores = z.record(z.string(), z.record(z.string(), z.number()));

const schema = z.object({
  /** Writes this file again. */
  command: z.string(),
  /** How far a figure may be off, for floating-point arithmetic on other machines: less than one query's share. */
  tolerance: z.number(),
  /** Scores by dataset and system. */
  datasets: z.record(z.string(), z.record(z.string(), scores)),
});

export type Expected = z.infer<typeof schema>;
export type Scores = z.infer<typeof scores>;

export async function readExpected(): Promise<Expected> {
  return schema.parse(JSON.parse(await readFile(FILE, 'utf8')));
}

export async function writeExpected(evaluations: readonly Evaluation[]): Promise<void> {
  const kept = evaluations.filter(({ system }) => KEPT.includes(system));
  const names = [...new Set(kept.map(({ dataset }) => dataset))];
  const systemsOf = (name: string) =>
    kept.filter(({ dataset }) => dataset === name).map((one) => [one.system, scoresOf(one)] as const);
  const expected: Expected = {
    command: 'npm run bench -- --write-expected',
    tolerance: 0.005,
    datasets: Object.fromEntries(names.map((name) => [name, Object.fromEntries(systemsOf(name))])),
  };
  await writeFile(FILE, `${JSON.stringify(expected, null, 2)}\n`);
}

/** All figures of an evaluation that do not depend on time, rounded to four decimals; `all` are those of all queries. */
export function scoresOf({ queries, means, groups, several, noMatch }: Evaluation): Scores {
  const parts = groups.filter((group) => group.queries < queries);
  return {
    all: rounded({ ...means, ...completenessOf(several), ...noMatch?.values }),
    ...Object.fromEntries(parts.map((group) => [group.group, rounded(group.means)])),
  };
}

function rounded(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toFixed(4))]));
}

function completenessOf(several: Evaluation['several']): Record<string, number> {
  const value = several?.means['Completeness@10'];
  return value === undefined ? {} : { 'Completeness@10': value };
}
