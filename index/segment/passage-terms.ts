/** Which passages of a segment's documents hold the words of a query, read from disk as candidates need it. */

import { ForwardIndex } from '../lexical/forward.ts';
import type { LexicalQuery } from '../lexical/query.ts';
import { PagedColumn } from './pages.ts';
import { bytesOf, type SectionReader } from './sections.ts';

/** How a query meets one passage. */
export interface PassageMatch {
  /** Sum of the weights of the query's terms that the passage holds, ≥ 0. */
  readonly score: number;
  /** Places in `query.terms` of those terms, ascending: in order of the query. */
  readonly terms: readonly number[];
}

const SECTION = 'forward';

/** Documents are named by their local numbers, segments of a query by their places in the search. */
export class PassageTerms {
  readonly #records: ForwardIndex;
  readonly #pages: PagedColumn;
  readonly #offsets: Uint32Array;
  readonly #passageStart: Uint32Array;
  /** A number for each passage of one document. */
  #sums = new Float64Array(256);

  constructor(sections: SectionReader<unknown>, offsets: Uint32Array, passageStart: Uint32Array) {
    const words = new Uint32Array(sections.size(SECTION) / 4);
    this.#pages = new PagedColumn(sections, SECTION, bytesOf(words));
    this.#records = new ForwardIndex(words);
    this.#offsets = offsets;
    this.#passageStart = passageStart;
  }

  /** What each passage of the document holds of the query's words, in their order. Throws `INDEX_DAMAGED`. */
  matches(query: LexicalQuery, segment: number, document: number): PassageMatch[] {
    const { numbers, terms } = query.segments[segment]!;
    const matches = Array.from({ length: this.#passages(document) }, () => [] as number[]);
    const count = this.#find(document, numbers);
    const { found } = this.#records;
    for (let at = 0; at < count; at += 1) matches[found.passages[at]!]!.push(terms[found.terms[at]!]!);
    return matches.map((places) => {
      places.sort((a, b) => a - b);
      return { score: places.reduce((sum, place) => sum + query.terms[place]!.weight, 0), terms: places };
    });
  }

  /**
   * The highest sum of weights of the query's words that one passage of the document holds, its card (the first)
   * aside; 0 where there is no other. Throws `INDEX_DAMAGED`.
   */
  best(query: LexicalQuery, segment: number, document: number): number {
    const { numbers, terms } = query.segments[segment]!;
    const passages = this.#passages(document);
    if (this.#sums.length < passages) this.#sums = new Float64Array(passages);
    const sums = this.#sums.fill(0, 0, passages);
    const count = this.#find(document, numbers);
    const { found } = this.#records;
    for (let at = 0; at < count; at += 1)
      sums[found.passages[at]!]! += query.terms[terms[found.terms[at]!]!]!.weight;
    let best = 0;
    for (let passage = 1; passage < passages; passage += 1) best = Math.max(best, sums[passage]!);
    return best;
  }

  #passages(document: number): number {
    return this.#passageStart[document + 1]! - this.#passageStart[document]!;
  }

  #find(document: number, numbers: Uint32Array): number {
    const [start, stop] = [this.#offsets[document]!, this.#offsets[document + 1]!];
    this.#pages.ensure(4 * start, 4 * stop);
    return this.#records.find(start, stop, this.#passages(document), numbers);
  }
}
