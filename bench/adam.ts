/** Adam, gradient descent with moments (Kingma & Ba, ICLR 2015), β 0.9 and 0.99. */
export class Adam {
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  #steps = 0;

  constructor(width: number) {
    this.#first = new Float64Array(width);
    this.#second = new Float64Array(width);
  }

  /** Moves the parameters against the gradient; `clamp` puts each back into its bounds. */
  step(
    parameters: Float64Array,
    gradient: Float64Array,
    rate: number,
    clamp: (value: number) => number,
  ): void {
    this.#steps += 1;
    for (let at = 0; at < parameters.length; at += 1) {
      this.#first[at] = 0.9 * this.#first[at]! + 0.1 * gradient[at]!;
      this.#second[at] = 0.99 * this.#second[at]! + 0.01 * gradient[at]! ** 2;
      const first = this.#first[at]! / (1 - 0.9 ** this.#steps);
      const second = this.#second[at]! / (1 - 0.99 ** this.#steps);
      parameters[at] = clamp(parameters[at]! - (rate * first) / (Math.sqrt(second) + 1e-8));
    }
  }
}
