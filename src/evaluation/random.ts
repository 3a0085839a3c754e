/** Seeded random numbers for sampling and tests of significance. Not for secrets. */

/**
 * mulberry32 (Tommy Ettinger, public domain): numbers in [0, 1), uniform in 32 bits, period 2^32, a hundred
 * times the draws of 10,000 rounds over 1,000 queries. `seed` is taken modulo 2^32.
 */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A shuffled copy (Fisher-Yates in Durstenfeld's form). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
