/** Measures of no-match detection: how well confidences separate answerable from no-match queries. */

import type { SeparationMeasure } from './measure.ts';

/** Area under the ROC curve, computed as the Mann-Whitney statistic; ties count half. */
export const rocArea: SeparationMeasure = {
  name: 'ROC area',
  definition:
    'Probability that a random answerable query has a higher confidence than a random no-match query; ' +
    'equal confidences count half. 0.5 is chance.',
  citation:
    'Hanley and McNeil, The meaning and use of the area under a receiver operating characteristic (ROC) curve, ' +
    'Radiology 143, 1982.',
  empty: 0.5,
  compute: (answerable, noMatch) => {
    if (answerable.length === 0 || noMatch.length === 0) return 0.5;
    const pooled = [
      ...answerable.map((confidence) => ({ confidence, answerable: true })),
      ...noMatch.map((confidence) => ({ confidence, answerable: false })),
    ].sort((a, b) => a.confidence - b.confidence);
    // Visits groups of equal confidence in rising order: an answerable query beats all no-match queries below its group.
    let wins = 0;
    let below = 0;
    for (let start = 0; start < pooled.length; ) {
      let end = start;
      let positives = 0;
      while (end < pooled.length && pooled[end]!.confidence === pooled[start]!.confidence) {
        if (pooled[end]!.answerable) positives++;
        end++;
      }
      const negatives = end - start - positives;
      wins += positives * (below + negatives / 2);
      below += negatives;
      start = end;
    }
    return wins / (answerable.length * noMatch.length);
  },
};

/**
 * False-fire rate at fixed recall. The threshold is the highest confidence at which at least `recall` of the
 * answerable queries still get an answer (confidence ≥ threshold).
 */
export function falsePositiveRate(recall: number): SeparationMeasure {
  if (!(recall > 0 && recall <= 1)) throw new RangeError(`recall is above 0 and at most 1; found ${recall}`);
  const percent = Math.round(recall * 1000) / 10;
  return {
    name: `False positives@${percent}%`,
    definition:
      'Share of no-match queries that get an answer at the highest threshold at which ' +
      `at least ${percent} % of the answerable queries do. Lower is better.`,
    citation:
      'FPR at 95 % TPR: Liang, Li and Srikant, Enhancing the reliability of out-of-distribution image ' +
      'detection in neural networks, ICLR 2018.',
    empty: 1,
    compute: (answerable, noMatch) => {
      if (answerable.length === 0 || noMatch.length === 0) return 1;
      const descending = [...answerable].sort((a, b) => b - a);
      // The margin keeps 0.95 × 20 = 19.000000000000004 from asking for a twentieth query.
      const kept = Math.max(1, Math.ceil(recall * descending.length - 1e-9));
      const threshold = descending[kept - 1]!;
      return noMatch.filter((confidence) => confidence >= threshold).length / noMatch.length;
    },
  };
}
