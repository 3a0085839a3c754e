/** Normalised discounted cumulative gain: rewards relevant documents near the top, the best first. */

import type { Grades } from '../grades.ts';
import { cutoff, type Measure } from './measure.ts';

/** nDCG@k with gain 2^grade − 1 and discount log2(rank + 1); the ideal ranking is cut at k as well. */
export function ndcg(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `nDCG@${depth}`,
    definition:
      `Sum over ranks r = 1…${depth} of (2^grade − 1) / log2(r + 1), ` +
      'divided by that sum for the best possible order of all judged documents.',
    citation:
      'Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002; ' +
      'exponential gain: Burges et al., Learning to rank using gradient descent, ICML 2005.',
    empty: 0,
    compute: (ranking, grades) => {
      const ideal = discounted(idealGrades(grades), depth);
      if (ideal === 0) return 0;
      const found = discounted(
        ranking.slice(0, depth).map((id) => Math.max(0, grades.get(id) ?? 0)),
        depth,
      );
      // Another order of summation may exceed the ideal by an ulp.
      return Math.min(1, found / ideal);
    },
  };
}

function idealGrades(grades: Grades): number[] {
  return [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
}

function discounted(grades: readonly number[], depth: number): number {
  let sum = 0;
  for (let index = 0; index < Math.min(depth, grades.length); index++) {
    sum += (2 ** grades[index]! - 1) / Math.log2(index + 2);
  }
  return sum;
}
