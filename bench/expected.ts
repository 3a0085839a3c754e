/**
 * The figures that the shipped dataset is known to give (`bench/expected.json`): the test suite measures them again,
 * so that no change moves quality unseen.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Evaluation } from '../src/evaluation/public.ts';

const FILE = fileURLToPath(new URL('expected.json', import.meta.url));

/** Systems whose figures depend on this repository alone, not on a package or on the machine. */
const KEPT = ['bm25-card', 'bm25f', 'dense-card', 'dense-exact', 'rrf-60', 'hybrid'];

const schema = z.object({
  /** Writes this file again. */
  command: z.string(),
  dataset: z.string(),
  /** How far a figure may be off, for floating-point arithmetic on other machines: less than one query's share. */
  tolerance: z.number(),
  /** Value in [0, 1] by system and measure. */
  scores: z.record(z.string(), z.record(z.string(), z.number())),
});

export type Expected = z.infer<typeof schema>;

export async function readExpected(): Promise<Expected> {
  return schema.parse(JSON.parse(await readFile(FILE, 'utf8')));
}

export async function writeExpected(evaluations: readonly Evaluation[]): Promise<void> {
  const kept = evaluations.filter(({ system }) => KEPT.includes(system));
  const expected: Expected = {
    command: 'npm run bench -- --write-expected',
    dataset: evaluations[0]?.dataset ?? '',
    tolerance: 0.005,
    scores: Object.fromEntries(kept.map((evaluation) => [evaluation.system, scoresOf(evaluation)])),
  };
  await writeFile(FILE, `${JSON.stringify(expected, null, 2)}\n`);
}

/** All figures of an evaluation that do not depend on time, rounded to four decimals. */
export function scoresOf({ means, several, noMatch }: Evaluation): Record<string, number> {
  const all = { ...means, ...completenessOf(several), ...noMatch?.values };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Number(value.toFixed(4))]));
}

function completenessOf(several: Evaluation['several']): Record<string, number> {
  const value = several?.means['Completeness@10'];
  return value === undefined ? {} : { 'Completeness@10': value };
}
