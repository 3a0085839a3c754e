/**
 * The two kinds of measures, each with a name, a definition and a source: the quality of one ranking, and how well
 * confidences separate answerable from no-match queries.
 */

import type { Grades } from '../grades.ts';

interface Described {
  /** The printed name with its parameters: `nDCG@10`. */
  readonly name: string;
  readonly definition: string;
  readonly citation: string;
}

/** Measures the ranking of one query. Average over queries with the arithmetic mean. */
export interface Measure extends Described {
  /** Value of an empty ranking, and of any ranking where no document is relevant. */
  readonly empty: number;
  /** `ranking`: distinct document ids, best first. In [0, 1], higher is better. */
  readonly compute: (ranking: readonly string[], grades: Grades) => number;
}

/** Measures how confidences separate answerable from no-match queries. */
export interface SeparationMeasure extends Described {
  /** Value where one side has no query. */
  readonly empty: number;
  /** Confidences in any unit and order; higher is more confident. In [0, 1]. */
  readonly compute: (answerable: readonly number[], noMatch: readonly number[]) => number;
}

/** Checks that a cut-off is a rank: a whole number from 1. Throws RangeError otherwise. */
export function cutoff(k: number): number {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`a cut-off is a whole number from 1; found ${k}`);
  return k;
}
