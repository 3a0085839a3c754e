/** Port to the embedding model. Implementations are outside the index (`src/search/embedding`). */
export interface Embedder {
  /**
   * Identifies the model, its weights and every setting that changes a vector (such as `skillgate-static-256@1f0c…`).
   * Vectors of different ids are never mixed: an index with another id is rebuilt.
   */
  readonly id: string;
  /** d, the length of each vector. */
  readonly dimensions: number;
  /** Whether texts that mean the same in different languages are near each other. Default false. */
  readonly multilingual?: boolean;
  /** Whole words that the model knows, folded, the commonest first: they are spelled correctly. Absent if not known. */
  readonly words?: () => readonly string[];
  /**
   * Embeds passages of documents. `Float32Array[n × d]`, row-major, rows in the order of `texts`. Each row has unit
   * length, or is all zeros if the model knows nothing in the text. Never NaN.
   */
  embedPassages(texts: readonly string[]): Promise<Float32Array>;
  /** Embeds one query: `Float32Array[d]`, of unit length or all zeros. Never NaN. */
  embedQuery(text: string): Promise<Float32Array>;
}
