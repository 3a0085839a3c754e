/**
 * Ordered candidates, and how the best k of many are kept. Words and vectors use the same, so that their lists
 * can be fused. Where scores come from is their affair.
 */

/** Documents or passages by their ordinals, best first; equal scores stand in order of the ordinal. */
export interface Ranking {
  readonly ordinals: Uint32Array;
  /** Of the same length; higher is better. */
  readonly scores: Float32Array;
}

/**
 * Keeps the best k of what is pushed, in O(log k) each: a binary heap with the worst of the kept on top. Scores
 * are compared as float32, the precision in which they are returned, and among equals the lower ordinal is
 * better, so the result does not depend on the order of pushing. An ordinal must be pushed once only.
 */
export class TopK {
  readonly #ordinals: Uint32Array;
  readonly #scores: Float32Array;
  #size = 0;

  /** `k` ≥ 0: how many are kept. */
  constructor(k: number) {
    this.#ordinals = new Uint32Array(k);
    this.#scores = new Float32Array(k);
  }

  /** What a further score must reach to be kept: the worst kept score, −Infinity while there is room. */
  get threshold(): number {
    if (this.#size < this.#scores.length) return Number.NEGATIVE_INFINITY;
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#scores[0]!;
  }

  /** Offers one candidate. A score that is NaN is never kept. */
  push(ordinal: number, score: number): void {
    const exact = Math.fround(score);
    if (this.#size < this.#scores.length) {
      if (!Number.isNaN(exact)) this.#rise(this.#size++, ordinal, exact);
    } else if (this.#size > 0 && beats(ordinal, exact, this.#ordinals[0]!, this.#scores[0]!))
      this.#sink(0, ordinal, exact);
  }

  /** The kept candidates, best first. The heap is empty afterwards and can be filled again. */
  drain(): Ranking {
    const ordinals = new Uint32Array(this.#size);
    const scores = new Float32Array(this.#size);
    while (this.#size > 0) {
      const last = --this.#size;
      ordinals[last] = this.#ordinals[0]!;
      scores[last] = this.#scores[0]!;
      this.#sink(0, this.#ordinals[last]!, this.#scores[last]!);
    }
    return { ordinals, scores };
  }

  /** Puts a candidate at `at` or above, where its parent is worse than it. */
  #rise(at: number, ordinal: number, score: number): void {
    let place = at;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!beats(this.#ordinals[parent]!, this.#scores[parent]!, ordinal, score)) break;
      this.#put(place, this.#ordinals[parent]!, this.#scores[parent]!);
      place = parent;
    }
    this.#put(place, ordinal, score);
  }

  /** Puts a candidate at `at` or below, where its children are better than it. */
  #sink(at: number, ordinal: number, score: number): void {
    let place = at;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      const other = child + 1;
      if (
        other < this.#size &&
        beats(this.#ordinals[child]!, this.#scores[child]!, this.#ordinals[other]!, this.#scores[other]!)
      )
        child = other;
      if (!beats(ordinal, score, this.#ordinals[child]!, this.#scores[child]!)) break;
      this.#put(place, this.#ordinals[child]!, this.#scores[child]!);
      place = child;
    }
    this.#put(place, ordinal, score);
  }

  #put(place: number, ordinal: number, score: number): void {
    this.#ordinals[place] = ordinal;
    this.#scores[place] = score;
  }
}

/** True where candidate a stands before candidate b. False for a score that is NaN. */
function beats(ordinalA: number, scoreA: number, ordinalB: number, scoreB: number): boolean {
  return scoreA > scoreB || (scoreA === scoreB && ordinalA < ordinalB);
}
