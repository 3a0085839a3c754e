/** The vectors of a segment's passages, read from disk as candidates need them. */

import { PASSAGE_KINDS } from '../passage.ts';
import { ExactIndex } from '../vectors/exact.ts';
import { Int8Matrix } from '../vectors/matrix.ts';
import { PagedColumn } from './pages.ts';
import type { SectionReader } from './sections.ts';

const BODY = PASSAGE_KINDS.indexOf('body');
const SECTION = 'vectors.passages';

export class PassageVectors {
  readonly #exact: ExactIndex;
  readonly #dimensions: number;
  /** Null where rows are padded in memory, and so were read all at once. */
  readonly #pages: PagedColumn | null;

  constructor(sections: SectionReader<unknown>, rows: number, dimensions: number) {
    const matrix = Int8Matrix.allocate(rows, dimensions);
    matrix.scales.set(sections.float32(`${SECTION}.scales`));
    const bytes = matrix.unpadded();
    if (bytes === null) matrix.fill(0, rows, (values) => sections.readInto(SECTION, values));
    this.#pages = bytes === null ? null : new PagedColumn(sections, SECTION, bytes);
    this.#exact = new ExactIndex(matrix);
    this.#dimensions = dimensions;
  }

  /** Cosines of the query with passages `from` to `to` (excluded), into `out`. Throws `INDEX_DAMAGED`. */
  dots(query: Float32Array, from: number, to: number, out: Float32Array): void {
    this.#ready(from, to);
    this.#exact.dots(query, from, to, out);
  }

  /** The vectors of `count` passages from `from` on, row-major: `Float32Array[count × d]`. Throws `INDEX_DAMAGED`. */
  rows(from: number, count: number): Float32Array {
    this.#ready(from, from + count);
    const vectors = new Float32Array(count * this.#dimensions);
    for (let row = 0; row < count; row += 1)
      vectors.set(this.#exact.matrix.vector(from + row), row * this.#dimensions);
    return vectors;
  }

  /**
   * For each document (local numbers), the cosine of its card and the highest of its body passages (the card's where
   * it has none), into `card` and `best`. A document's card is its first passage. Throws `INDEX_DAMAGED`.
   */
  cardAndBest(
    query: Float32Array,
    documents: Uint32Array,
    { passageStart, kinds }: { readonly passageStart: Uint32Array; readonly kinds: Uint8Array },
    card: Float32Array,
    best: Float32Array,
  ): void {
    let most = 0;
    for (const document of documents) most += passageStart[document + 1]! - passageStart[document]!;
    const rows = new Uint32Array(most);
    const ends = new Uint32Array(documents.length);
    let count = 0;
    for (let at = 0; at < documents.length; at += 1) {
      const first = passageStart[documents[at]!]!;
      const end = passageStart[documents[at]! + 1]!;
      rows[count++] = first;
      for (let row = first + 1; row < end; row += 1) {
        rows[count] = row;
        if (kinds[row] === BODY) count += 1;
      }
      this.#ready(first, rows[count - 1]! + 1);
      ends[at] = count;
    }
    const cosines = new Float32Array(count);
    this.#exact.dotsAt(query, rows.subarray(0, count), cosines);
    let place = 0;
    for (let at = 0; at < documents.length; at += 1) {
      const end = ends[at]!;
      card[at] = cosines[place]!;
      place += 1;
      let highest = place < end ? cosines[place]! : card[at]!;
      for (place += 1; place < end; place += 1) if (cosines[place]! > highest) highest = cosines[place]!;
      place = end;
      best[at] = highest;
    }
  }

  /** Makes the vectors of passages `from` to `to` (excluded) valid. */
  #ready(from: number, to: number): void {
    this.#pages?.ensure(from * this.#dimensions, to * this.#dimensions);
  }
}
