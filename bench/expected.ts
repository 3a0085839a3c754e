/**
 * The expected figures of the shipped datasets (`bench/expected.json`). The test suite measures them again, so a change
 * of quality never goes unnoticed.
 */

import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Evaluation } from './evaluation/evaluation.ts';
import { here } from './paths.ts';

const FILE = here('expected.json');

/** Systems whose figures depend on this repository only, not on a package or on the machine. */
const KEPT = ['bm25-card', 'dense-card', 'semantic-then-keyword', 'bm25f', 'dense-exact', 'rrf-60', 'hybrid'];

/** Values in [0, 1] by group and measure. The group `all` is every query. */
const scores = z.record(z.string(), z.record(z.string(), z.number()));

const schema = z.object({
  /** The command that writes this file. */
  command: z.string(),
  /** Largest allowed difference, for floating-point arithmetic on other machines. Less than the share of one query. */
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

/** All figures of an evaluation that do not depend on time, rounded to four decimals. */
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
