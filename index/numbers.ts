/** Numbers: a growing list, binary search in an ascending one, and random ones that a seed repeats. */

/** A growing list of unsigned 32-bit numbers: four bytes each, half of a JavaScript array. */
export class GrowingUint32 {
  #values: Uint32Array;
  #length = 0;

  constructor(capacity = 1024) {
    this.#values = new Uint32Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length++] = value;
  }

  get(at: number): number {
    return this.#values[at]!;
  }

  set(at: number, value: number): void {
    this.#values[at] = value;
  }

  /** The numbers so far, not copied; valid until the next push. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }

  #grow(): void {
    const values = new Uint32Array(2 * this.#values.length);
    values.set(this.#values);
    this.#values = values;
  }
}

/**
 * Binary search in ascending numbers, all below 2³¹: the first index in [low, end) whose number is at or above
 * `wanted`, or `end`. Branchless, because the branches would be unpredictable: the sign of a difference is a mask.
 */
export function lowerBound(numbers: Uint32Array, wanted: number, low = 0, end = numbers.length): number {
  let from = low;
  for (let left = end - low; left > 1; ) {
    const half = left >>> 1;
    from += half & ((numbers[from + half - 1]! - wanted) >> 31);
    left -= half;
  }
  return from < end && numbers[from]! < wanted ? from + 1 : from;
}

/**
 * mulberry32 (Tommy Ettinger, public domain): uniform numbers in [0, 1) with 32 bits, period 2³². `seed` is taken
 * modulo 2³². For samples and tests of significance, not for secrets.
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
