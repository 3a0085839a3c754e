/** The contract of a peer: built from the same cards and vectors as skillgate, with the same queries. */

export interface Card {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface PeerCorpus {
  readonly cards: readonly Card[];
  /** `Float32Array[n × d]`, row-major, unit length, in the order of the cards. */
  readonly vectors: Float32Array;
  readonly dimensions: number;
  /** A folder for its files, removed after the run. */
  readonly folder: string;
}

export interface PeerQuery {
  readonly text: string;
  readonly vector: readonly number[];
}

export interface Peer {
  /** The name in the table. */
  readonly name: string;
  /** It does not run in a larger catalog: a query takes seconds. */
  readonly maxSkills?: number;
  /** Resolves to a search for the ids of the ten best. Rejects if its package is not installed. */
  build(corpus: PeerCorpus): Promise<(query: PeerQuery) => Promise<readonly string[]> | readonly string[]>;
  /** Memory of its server; absent where it runs in this process. */
  readonly bytes?: () => number;
  readonly end?: () => Promise<void>;
}

/** `how`: the command that installs it. */
export class NotInstalled extends Error {
  override readonly name = 'NotInstalled';
}

export const TOP = 10;
