/** Calibration of confidences: bins for a reliability diagram, and the expected calibration error. */

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
