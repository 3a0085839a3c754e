/** How many documents of an index have a term: all that live, or those that a restricted search accepts. */

import type { LexicalColumns } from '../postings/columns.ts';
import { findHash, hashTerm } from '../postings/hash.ts';
import { trustIn } from './word-weights.ts';

/** Returns how many documents of segment number `segment` contain its term `number`. */
export type CountDocuments = (segment: number, number: number) => number;

export class TermStatistics {
  readonly segments: readonly LexicalColumns[];
  /** Number of documents that count. */
  readonly documents: number;
  readonly #count: CountDocuments;
  /** Null before the first query. */
  #trust: number | null = null;

  /** Give `count` if some of the stored documents do not count. */
  constructor(segments: readonly LexicalColumns[], documents: number, count?: CountDocuments) {
    this.segments = segments;
    this.documents = documents;
    this.#count =
      count ??
      ((segment, number) => segments[segment]!.offsets[number + 1]! - segments[segment]!.offsets[number]!);
  }

  /** Writes the term's number in each segment (−1 if absent) into `numbers`. Returns the number of documents with the term. */
  lookUp(term: string, numbers: Int32Array): number {
    const [high, low] = hashTerm(term);
    let frequency = 0;
    for (let segment = 0; segment < this.segments.length; segment += 1) {
      const { hashes, touch } = this.segments[segment]!;
      const number = findHash(hashes, high, low);
      numbers[segment] = number;
      if (number < 0) continue;
      touch?.(number);
      frequency += this.#count(segment, number);
    }
    return frequency;
  }

  /** Whether so many documents have the term. */
  holds(term: string, least = 1): boolean {
    return this.#frequency(term, least) >= least;
  }

  /** How far the learned weights hold for these documents, 0–1 (`word-weights.ts`). */
  get trust(): number {
    this.#trust ??= trustIn(this.documents, (term) => this.#frequency(term));
    return this.#trust;
  }

  /** Stops counting at `most`. */
  #frequency(term: string, most = Number.POSITIVE_INFINITY): number {
    const [high, low] = hashTerm(term);
    let frequency = 0;
    for (let segment = 0; segment < this.segments.length && frequency < most; segment += 1) {
      const number = findHash(this.segments[segment]!.hashes, high, low);
      if (number >= 0) frequency += this.#count(segment, number);
    }
    return frequency;
  }
}
