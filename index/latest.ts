/** The values asked for last, so many of them: what comes again and again is made once. */

export class Latest<K, V> {
  readonly #most: number;
  /** Least recently used first. */
  readonly #values = new Map<K, V>();

  /** `most` ≥ 1: how many are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The value kept for `key`, or what `make` gives; nothing is kept where that throws. */
  get(key: K, make: () => V): V {
    const known = this.#values.get(key);
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (known === undefined && this.#values.size > this.#most)
      this.#values.delete(this.#values.keys().next().value!);
    return value;
  }
}
