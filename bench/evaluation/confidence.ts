/**
 * Measures of confidences: how well they separate answerable from no-match queries, and whether they hold (calibration). Each
 * has its definition and its source.
 */

/** Measures how confidences separate answerable from no-match queries. */
export interface SeparationMeasure {
  readonly name: string;
  /** Value where one side has no query. */
  readonly empty: number;
  /** Confidences in any unit and order; higher is more confident. In [0, 1]. */
  readonly compute: (answerable: readonly number[], noMatch: readonly number[]) => number;
}

/**
 * ROC area: the probability that a random answerable query has a higher confidence than a random no-match query; equal
 * confidences count half, and 0.5 is chance. Computed as the Mann-Whitney statistic. Hanley and McNeil, The meaning and use of
 * the area under a receiver operating characteristic (ROC) curve, Radiology 143, 1982.
 */
export const rocArea: SeparationMeasure = {
  name: 'ROC area',
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
 * False positives at fixed recall: the share of no-match queries that get an answer at the highest threshold at which at least
 * `recall` of the answerable queries do (confidence ≥ threshold). Lower is better. FPR at 95 % TPR: Liang, Li and Srikant,
 * Enhancing the reliability of out-of-distribution image detection in neural networks, ICLR 2018.
 */
export function falsePositiveRate(recall: number): SeparationMeasure {
  if (!(recall > 0 && recall <= 1)) throw new RangeError(`recall is above 0 and at most 1; found ${recall}`);
  const percent = Math.round(recall * 1000) / 10;
  return {
    name: `False positives@${percent}%`,
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

/** Where a dataset has no-match queries. 0.95 is the recall of the project's target. */
export const NO_MATCH_MEASURES: readonly SeparationMeasure[] = [rocArea, falsePositiveRate(0.95)];

/** The confidence in one answer, and whether its first hit was right. */
export interface Claim {
  /** 0–1. */
  readonly confidence: number;
  readonly right: boolean;
}

/** Claims whose confidence lies in [from, to), the last bin including 1. Empty bins are left out. */
export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly claims: number;
  readonly meanConfidence: number;
  /** Share of right answers, 0–1. */
  readonly accuracy: number;
}

/** Bins of equal width over [0, 1], in rising order (DeGroot and Fienberg, The Statistician 32, 1983). */
export function reliability(claims: readonly Claim[], bins = 10): readonly ReliabilityBin[] {
  const groups = Array.from({ length: bins }, (): Claim[] => []);
  for (const claim of claims) {
    groups[Math.min(bins - 1, Math.max(0, Math.floor(claim.confidence * bins)))]!.push(claim);
  }
  return groups.flatMap((group, index) =>
    group.length === 0
      ? []
      : [
          {
            from: index / bins,
            to: (index + 1) / bins,
            claims: group.length,
            meanConfidence: group.reduce((sum, claim) => sum + claim.confidence, 0) / group.length,
            accuracy: group.filter((claim) => claim.right).length / group.length,
          },
        ],
  );
}

/**
 * Expected calibration error: |accuracy − mean confidence| over the bins, weighted by their claims. In [0, 1],
 * lower is better, 0 for no claims (Guo et al., On calibration of modern neural networks, ICML 2017).
 */
export function calibrationError(claims: readonly Claim[], bins = 10): number {
  return reliability(claims, bins).reduce(
    (sum, bin) => sum + (bin.claims / claims.length) * Math.abs(bin.accuracy - bin.meanConfidence),
    0,
  );
}
