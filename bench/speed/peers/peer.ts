/** The contract of what is timed beside skillgate: built from the same cards and vectors, asked the same queries. */

export interface Card {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface PeerCorpus {
  readonly cards: readonly Card[];
  /** `Float32Array[n × d]`, unit length, in order of the cards. */
  readonly vectors: Float32Array;
  readonly dimensions: number;
  /** A folder of its own, removed afterwards. */
  readonly folder: string;
}

export interface PeerQuery {
  readonly text: string;
  readonly vector: readonly number[];
}

export interface Peer {
  /** As in the table. */
  readonly name: string;
  /** Skills up to which it is run: beyond, a query takes seconds. */
  readonly limit?: number;
  /** Rejects where its package is not installed. Resolves to a search for ids of the ten best. */
  build(corpus: PeerCorpus): Promise<(query: PeerQuery) => Promise<readonly string[]> | readonly string[]>;
}

export const TOP = 10;
