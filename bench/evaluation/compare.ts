/**
 * Compares two systems on the same queries: a test of significance and a confidence interval of the paired differences,
 * and the queries that made the difference.
 */

import type { Evaluation } from './evaluation.ts';
import { EvaluationError } from './evaluation.ts';
import { mean, quantile, seeded } from './statistics.ts';

interface Difference {
  readonly query: string;
  readonly text: string;
  readonly baseline: number;
  readonly contender: number;
  /** contender − baseline. */
  readonly difference: number;
}

export interface Comparison {
  readonly measure: string;
  readonly baseline: { readonly system: string; readonly mean: number };
  readonly contender: { readonly system: string; readonly mean: number };
  readonly queries: number;
  /** Mean of the paired differences: contender − baseline. */
  readonly difference: number;
  /** Two-sided, in (0, 1]: the probability of a difference this large by chance. */
  readonly pValue: number;
  /** Bootstrap 95 % interval of the mean difference. */
  readonly interval: readonly [low: number, high: number];
  /** Queries with a difference, by falling gain of the contender, then by id. */
  readonly differences: readonly Difference[];
}

export interface Resampling {
  /** Default 10,000, which gives a p-value of 0.05 to ±0.004. */
  readonly rounds?: number;
  /** Default 1. */
  readonly seed?: number;
}

/** Throws `COMPARISON_INVALID` where the evaluations cover different queries or lack the measure. */
export function compare(
  baseline: Evaluation,
  contender: Evaluation,
  measure: string,
  options: Resampling = {},
): Comparison {
  const before = valuesOf(baseline, measure);
  const after = valuesOf(contender, measure);
  const rows = [...before].map(([query, row]): Difference => {
    const other = after.get(query);
    if (other === undefined) throw unpaired(`${contender.system} has no result for query ${query}`);
    return {
      query,
      text: row.text,
      baseline: row.value,
      contender: other.value,
      difference: other.value - row.value,
    };
  });
  if (after.size > before.size) throw unpaired(`${baseline.system} has fewer queries`);
  const differences = rows.map((row) => row.difference);
  return {
    measure,
    baseline: { system: baseline.system, mean: mean(rows.map((row) => row.baseline)) },
    contender: { system: contender.system, mean: mean(rows.map((row) => row.contender)) },
    queries: rows.length,
    difference: mean(differences),
    pValue: randomisationTest(differences, options),
    interval: bootstrapInterval(differences, options),
    differences: rows
      .filter((row) => row.difference !== 0)
      .sort((a, b) => b.difference - a.difference || (a.query < b.query ? -1 : 1)),
  };
}

/**
 * Paired randomisation test, two-sided: under the null hypothesis each sign is a coin flip (Fisher 1935;
 * Smucker, Allan and Carterette, CIKM 2007). The observed assignment counts as one round, so the value is
 * never 0 (Phipson and Smyth 2010). 1 for no differences.
 */
export function randomisationTest(differences: readonly number[], options: Resampling = {}): number {
  const { rounds = 10_000, seed = 1 } = options;
  const random = seeded(seed);
  // Sums of the same terms with other signs differ by rounding, so a sum within 1e-12 counts as equally large.
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0)) - 1e-12;
  const nonZero = differences.filter((value) => value !== 0);
  let asLarge = 1;
  for (let round = 0; round < rounds; round++) {
    let sum = 0;
    for (const value of nonZero) sum += random() < 0.5 ? value : -value;
    if (Math.abs(sum) >= observed) asLarge++;
  }
  return asLarge / (rounds + 1);
}

/**
 * Percentile bootstrap 95 % interval of the mean (Efron and Tibshirani 1993, section 13.3; for retrieval: Sakai,
 * SIGIR 2006). [0, 0] for no values.
 */
export function bootstrapInterval(
  values: readonly number[],
  options: Resampling = {},
): readonly [low: number, high: number] {
  const { rounds = 10_000, seed = 1 } = options;
  const random = seeded(seed);
  const count = values.length;
  const means = Array.from({ length: count === 0 ? 0 : rounds }, () => {
    let sum = 0;
    for (let draw = 0; draw < count; draw++) sum += values[Math.floor(random() * count)]!;
    return sum / count;
  });
  return [quantile(means, 0.025), quantile(means, 0.975)];
}

function valuesOf(
  evaluation: Evaluation,
  measure: string,
): Map<string, { readonly text: string; readonly value: number }> {
  const values = new Map<string, { text: string; value: number }>();
  for (const { query, values: row } of evaluation.results) {
    if (row === null) continue;
    const value = row[measure];
    if (value === undefined) throw unpaired(`${evaluation.system} has no ${measure} for query ${query.id}`);
    values.set(query.id, { text: query.text, value });
  }
  return values;
}

function unpaired(fault: string): EvaluationError {
  return new EvaluationError(
    'COMPARISON_INVALID',
    `Cannot compare query by query: ${fault}. Run both on one dataset.`,
  );
}
