/** The port through which the index meets a model. Implementations live outside (`src/embed`). */
export interface Embedder {
  /**
   * Names model, weights and every setting that changes a vector (such as `skillgate-static-256@1f0c…`).
   * Vectors of different ids never mix: an index made by another id is rebuilt.
   */
  readonly id: string;
  /** d, the length of each vector. */
  readonly dimensions: number;
  /**
   * Embeds documents' passages. `Float32Array[n × d]`, row-major, rows in the order of `texts`, each of unit
   * length, or all zeros where the text holds nothing the model knows. Never NaN.
   */
  embedPassages(texts: readonly string[]): Promise<Float32Array>;
  /** Embeds one query: `Float32Array[d]`, of unit length or all zeros. Never NaN. */
  embedQuery(text: string): Promise<Float32Array>;
}
