/**
 * Vectors of passages: those of a segment, read from disk on demand, or rows in memory; and the summary vector of a whole
 * document, which the first pass of a search compares.
 */

import { PASSAGE_KINDS, type Passage } from '../passage.ts';
import { ExactIndex } from '../vectors/exact.ts';
import { inverseLength } from '../vectors/float.ts';
import { Int8Matrix } from '../vectors/matrix.ts';
import { PagedColumn } from './pages.ts';
import type { SectionReader } from './sections.ts';

const BODY = PASSAGE_KINDS.indexOf('body');
const SECTION = 'vectors.passages';

/** Columns of the segment: first passage of each document, kind of each passage. */
interface Passages {
  readonly passageStart: Uint32Array;
  readonly kinds: Uint8Array;
}

export class PassageVectors {
  readonly #exact: ExactIndex;
  readonly #dimensions: number;
  /** Null if all rows are in memory: those of a segment are where they are padded there. */
  readonly #pages: PagedColumn | null;

  /** The vectors of a segment. */
  static of(sections: SectionReader<unknown>, rows: number, dimensions: number): PassageVectors {
    const matrix = Int8Matrix.allocate(rows, dimensions);
    matrix.scales.set(sections.float32(`${SECTION}.scales`));
    const bytes = matrix.unpadded();
    if (bytes === null) matrix.fill(0, rows, (values) => sections.readInto(SECTION, values));
    return new PassageVectors(matrix, bytes === null ? null : new PagedColumn(sections, SECTION, bytes));
  }

  /** `pages` fills the matrix on demand; null if it is filled. */
  constructor(matrix: Int8Matrix, pages: PagedColumn | null = null) {
    this.#pages = pages;
    this.#exact = new ExactIndex(matrix);
    this.#dimensions = matrix.dimensions;
  }

  /** Cosines of the query with passages `from` to `to` (exclusive), into `out`. Throws `INDEX_DAMAGED`. */
  dots(query: Float32Array, from: number, to: number, out: Float32Array): void {
    this.#ready(from, to);
    this.#exact.dots(query, from, to, out);
  }

  /**
   * The vectors of `count` passages starting at `from`: `Float32Array[count × d]`, row-major. Throws `INDEX_DAMAGED`.
   */
  rows(from: number, count: number): Float32Array {
    this.#ready(from, from + count);
    const vectors = new Float32Array(count * this.#dimensions);
    for (let row = 0; row < count; row += 1)
      vectors.set(this.#exact.matrix.vector(from + row), row * this.#dimensions);
    return vectors;
  }

  /**
   * Cosine of each document's card (its first passage), into `out`. Documents are local numbers. Throws
   * `INDEX_DAMAGED`.
   */
  cards(query: Float32Array, documents: Uint32Array, { passageStart }: Passages, out: Float32Array): void {
    const rows = documents.map((document) => passageStart[document]!);
    for (const row of rows) this.#ready(row, row + 1);
    this.#exact.dotsAt(query, rows, out);
  }

  /**
   * Highest cosine of each document's body passages, or its card's if it has none, into `out`. Throws `INDEX_DAMAGED`.
   */
  bestOfBodies(
    query: Float32Array,
    documents: Uint32Array,
    { passageStart, kinds }: Passages,
    out: Float32Array,
  ): void {
    let most = 0;
    for (const document of documents) most += passageStart[document + 1]! - passageStart[document]!;
    const rows = new Uint32Array(most);
    const ends = new Uint32Array(documents.length);
    let count = 0;
    for (let at = 0; at < documents.length; at += 1) {
      const first = passageStart[documents[at]!]!;
      const end = passageStart[documents[at]! + 1]!;
      const before = count;
      for (let row = first + 1; row < end; row += 1) if (kinds[row] === BODY) rows[count++] = row;
      if (count === before) rows[count++] = first;
      this.#ready(rows[before]!, rows[count - 1]! + 1);
      ends[at] = count;
    }
    const cosines = new Float32Array(count);
    this.#exact.dotsAt(query, rows.subarray(0, count), cosines);
    let place = 0;
    for (let at = 0; at < documents.length; at += 1) {
      let highest = cosines[place]!;
      for (place += 1; place < ends[at]!; place += 1)
        if (cosines[place]! > highest) highest = cosines[place]!;
      out[at] = highest;
    }
  }

  /** Reads the vectors of passages `from` to `to` (exclusive) if they are missing. */
  #ready(from: number, to: number): void {
    this.#pages?.ensure(from * this.#dimensions, to * this.#dimensions);
  }
}

/**
 * `Float32Array[d]`, unit length: the sum of the card's vector and the mean direction of the body passages, in equal
 * parts. The card says what a document is for, the body what it does, and one comparison covers both. References are
 * left out, because a long manual would dominate its skill. All zeros if no passage has a vector.
 */
export function documentVector(
  vectors: Float32Array,
  passages: readonly Pick<Passage, 'kind'>[],
  dimensions: number,
): Float32Array {
  const card = vectors.subarray(0, dimensions);
  const body = new Float32Array(dimensions);
  passages.forEach((passage, row) => {
    if (passage.kind !== 'body') return;
    for (let at = 0; at < dimensions; at += 1) body[at]! += vectors[row * dimensions + at]!;
  });
  const bodyScale = inverseLength(body);
  const sum = Float32Array.from(card, (value, at) => value + body[at]! * bodyScale);
  const scale = inverseLength(sum);
  return sum.map((value) => value * scale);
}
