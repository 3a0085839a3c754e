/** Ranked candidates, and a heap that keeps the best k. Lexical and vector search both return rankings. */

/** Ordinals of documents or passages, best first; equal scores in order of the ordinal. */
export interface Ranking {
  readonly ordinals: Uint32Array;
  /** Of the same length; higher is better. */
  readonly scores: Float32Array;
}

/**
 * Keeps the best k candidates, in O(log k) each: a binary heap with the worst one on top. Compares scores as float32,
 * the precision of the result. Among equal scores the lower ordinal wins, so the order of pushing does not matter. Push
 * each ordinal once only.
 */
export class TopK {
  readonly #ordinals: Uint32Array;
  readonly #scores: Float32Array;
  #size = 0;

  /** `k` ≥ 0: how many to keep. */
  constructor(k: number) {
    this.#ordinals = new Uint32Array(k);
    this.#scores = new Float32Array(k);
  }

  /** The score that a further candidate must reach: the worst kept score, or −Infinity while there is room. */
  get threshold(): number {
    if (this.#size < this.#scores.length) return Number.NEGATIVE_INFINITY;
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#scores[0]!;
  }

  /** Offers one candidate. A NaN score is never kept. */
  push(ordinal: number, score: number): void {
    const exact = Math.fround(score);
    if (this.#size < this.#scores.length) {
      if (!Number.isNaN(exact)) this.#rise(this.#size++, ordinal, exact);
    } else if (this.#size > 0 && beats(ordinal, exact, this.#ordinals[0]!, this.#scores[0]!))
      this.#sink(0, ordinal, exact);
  }

  /** The kept candidates, best first. Empties the heap, which can be used again. */
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

  /** Places a candidate at `at` or higher, above parents that are worse. */
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

  /** Places a candidate at `at` or lower, below children that are better. */
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

/** True if candidate a ranks before candidate b. False if either score is NaN. */
function beats(ordinalA: number, scoreA: number, ordinalB: number, scoreB: number): boolean {
  return scoreA > scoreB || (scoreA === scoreB && ordinalA < ordinalB);
}
