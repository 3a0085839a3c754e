/** Seeded random numbers for sampling and tests of significance. Not for secrets. */

export { seeded } from '../../index/random.ts';

/** A shuffled copy (Fisher-Yates in Durstenfeld's form). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
