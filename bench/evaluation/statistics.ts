/** Mean and quantiles of a sample. */

/** Arithmetic mean; 0 for no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The smallest value that at least a share `q` of the sample does not exceed (nearest rank; definition 1 of
 * Hyndman and Fan, The American Statistician 50, 1996), so always a value of the sample. 0 for no values.
 * `q` in (0, 1].
 */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return 0;
  const rising = Float64Array.from(values).sort();
  // The margin keeps products such as 0.07 × 100 = 7.000000000000001 from skipping a value.
  const rank = Math.ceil(q * rising.length - 1e-9);
  return rising[Math.min(rising.length, Math.max(1, rank)) - 1]!;
}

export { seeded } from '../../index/numbers.ts';

/** A shuffled copy (Fisher-Yates in Durstenfeld's form). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
