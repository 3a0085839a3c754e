/**
 * What a measure is: a name, a definition and a source, apart from the function. Two shapes: how good one
 * ranking is, and how well confidences tell answerable queries from the others.
 */

import type { Grades } from '../grades.ts';

interface Described {
  /** As it is printed, with its parameters: `nDCG@10`. */
  readonly name: string;
  readonly definition: string;
  readonly citation: string;
}

/** Judges the ranking of one query. Over several queries, take the arithmetic mean. */
export interface Measure extends Described {
  /** Value of an empty ranking, and of any ranking where no document is relevant. */
  readonly empty: number;
  /** `ranking`: distinct document ids, best first. In [0, 1], higher is better. */
  readonly compute: (ranking: readonly string[], grades: Grades) => number;
}

/** Judges how confidences separate queries that the corpus can answer from those that it cannot. */
export interface SeparationMeasure extends Described {
  /** Value where either side has no query. */
  readonly empty: number;
  /** Confidences in any unit, higher is surer; their order does not matter. In [0, 1]. */
  readonly compute: (answerable: readonly number[], noMatch: readonly number[]) => number;
}

/** Cut-offs are ranks: whole numbers from 1. Throws RangeError otherwise. */
export function cutoff(k: number): number {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`a cut-off is a whole number from 1; found ${k}`);
  return k;
}
