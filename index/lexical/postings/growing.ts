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
