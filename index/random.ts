/** Random numbers that a seed repeats: for samples and tests of significance. Not for secrets. */

/**
 * mulberry32 (Tommy Ettinger, public domain): uniform numbers in [0, 1) with 32 bits, period 2³². `seed` is taken
 * modulo 2³².
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
