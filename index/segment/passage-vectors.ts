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
    const starts = new Uint32Array(documents.length + 1);
    documents.forEach((document, at) => {
      let count = 1;
      for (let row = passageStart[document]! + 1; row < passageStart[document + 1]!; row += 1)
        if (kinds[row] === BODY) count += 1;
      starts[at + 1] = starts[at]! + count;
    });
    const rows = new Uint32Array(starts.at(-1)!);
    documents.forEach((document, at) => {
      const first = passageStart[document]!;
      let place = starts[at]!;
      rows[place] = first;
      for (let row = first + 1; row < passageStart[document + 1]!; row += 1) {
        if (kinds[row] !== BODY) continue;
        place += 1;
        rows[place] = row;
      }
      this.#ready(first, rows[place]! + 1);
    });
    const cosines = new Float32Array(rows.length);
    this.#exact.dotsAt(query, rows, cosines);
    documents.forEach((_, at) => {
      const start = starts[at]!;
      const end = starts[at + 1]!;
      let most = end > start + 1 ? Number.NEGATIVE_INFINITY : cosines[start]!;
      for (let row = start + 1; row < end; row += 1) most = Math.max(most, cosines[row]!);
      card[at] = cosines[start]!;
      best[at] = most;
    });
  }

  /** Makes the vectors of passages `from` to `to` (excluded) valid. */
  #ready(from: number, to: number): void {
    this.#pages?.ensure(from * this.#dimensions, to * this.#dimensions);
  }
}
