/** Rows of int8 in memory that the kernel scans where it stands. Filled once, then only read. */

import { IndexError } from '../errors.ts';
import { type Quantized, quantize } from './int8.ts';
import { type Kernel, plainKernel, simdKernel } from './kernel.ts';

/** Rows are padded to a multiple of this many components, one step of the kernel. */
const STEP = 16;
/** Rows that a matrix made to be continued has room for beyond its own: of so many commits only one copies all rows. */
const SPARE_ROWS = 1_024;

export class Int8Matrix {
  readonly rows: number;
  /** d, without padding. */
  readonly dimensions: number;
  /** `Float32Array[rows]`: what a row's components are multiplied with; 0 marks a row without a vector. */
  readonly scales: Float32Array;
  /** Scores rows of this matrix. */
  readonly kernel: Kernel;
  readonly #stride: number;
  /** Shared by all that live in the same memory. */
  readonly #room: { used: number; readonly rows: number };

  /**
   * A matrix of zeros, in WebAssembly memory (taken in one go, up to 4 GiB) or, where that is not to be had, in plain
   * memory. `simd: false` asks for plain memory; `spare: true` for room to be continued in. Throws `INDEX_INPUT` where no
   * memory holds so many rows.
   */
  static allocate(
    rows: number,
    dimensions: number,
    options: { simd?: boolean; spare?: boolean } = {},
  ): Int8Matrix {
    if (!(Number.isInteger(rows) && rows >= 0 && Number.isInteger(dimensions) && dimensions >= 1))
      throw new RangeError(`A matrix cannot have ${rows} rows of ${dimensions} dimensions.`);
    const stride = Math.ceil(dimensions / STEP) * STEP;
    const room = { used: rows, rows: options.spare === true ? rows + SPARE_ROWS : rows };
    const kernel = options.simd === false ? null : simdKernel(room.rows, stride);
    try {
      return new Int8Matrix(rows, dimensions, room, kernel ?? plainKernel(room.rows, stride));
    } catch (cause) {
      throw new IndexError(
        'INDEX_INPUT',
        `There is no memory for ${rows} vectors of ${dimensions} dimensions.`,
        {
          data: { rows, dimensions },
          cause,
        },
      );
    }
  }

  /** A matrix of these rows. */
  static of(quantized: Quantized, dimensions: number, options: { simd?: boolean } = {}): Int8Matrix {
    const rows = quantized.scales.length;
    const matrix = Int8Matrix.allocate(rows, dimensions, options);
    matrix.fill(0, rows, (target) => target.set(quantized.values));
    matrix.scales.set(quantized.scales);
    return matrix;
  }

  private constructor(
    rows: number,
    dimensions: number,
    room: { used: number; readonly rows: number },
    kernel: Kernel,
  ) {
    this.rows = rows;
    this.dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / STEP) * STEP;
    this.#room = room;
    this.kernel = kernel;
    this.scales = kernel.scales.subarray(0, rows);
  }

  /**
   * A matrix that begins with all rows of this one and lives in the same memory; the others are zeros, to be filled.
   * Null where there is no room, or another has it: a matrix is continued once. Neither sees the other's filling.
   */
  continued(rows: number): Int8Matrix | null {
    const room = this.#room;
    if (room.used !== this.rows || rows < this.rows || rows > room.rows) return null;
    room.used = rows;
    return new Int8Matrix(rows, this.dimensions, room, this.kernel);
  }

  /**
   * Lets `read` write the components of `count` rows from `row` on: `target` is `count × d` bytes, row-major, int8.
   * Without padding it is the matrix's own memory, so that a file is read straight into place.
   */
  fill(row: number, count: number, read: (target: Uint8Array) => void): void {
    if (!(row >= 0 && count >= 0 && row + count <= this.rows))
      throw new RangeError(`Rows ${row} to ${row + count} lie outside a matrix of ${this.rows}.`);
    const { values } = this.kernel;
    const own = new Uint8Array(values.buffer, values.byteOffset + row * this.#stride, count * this.#stride);
    if (this.dimensions === this.#stride) {
      read(own);
      return;
    }
    const packed = new Uint8Array(count * this.dimensions);
    read(packed);
    for (let at = 0; at < count; at += 1) {
      const from = at * this.dimensions;
      own.set(packed.subarray(from, from + this.dimensions), at * this.#stride);
    }
  }

  /** Takes `count` rows of another matrix of the same dimensions, from its row `from` on, as rows from `row` on. */
  copy(row: number, count: number, other: Int8Matrix, from: number): void {
    const stride = this.#stride;
    const rows = other.kernel.values.subarray(from * stride, (from + count) * stride);
    this.kernel.values.set(rows, row * stride);
    this.scales.set(other.scales.subarray(from, from + count), row);
  }

  /** The memory of all rows where they lie without padding; null otherwise. */
  unpadded(): Uint8Array | null {
    const { buffer, byteOffset } = this.kernel.values;
    const bytes = this.rows * this.#stride;
    return this.dimensions === this.#stride ? new Uint8Array(buffer, byteOffset, bytes) : null;
  }

  /** The row as numbers again: `Float32Array[d]`. */
  vector(row: number): Float32Array {
    const scale = this.scales[row]!;
    const from = row * this.#stride;
    return Float32Array.from(
      this.kernel.values.subarray(from, from + this.dimensions),
      (value) => value * scale,
    );
  }
}

/** Vectors as the index would give them back once stored: `Float32Array[n × d]`, row-major, within int8's steps. */
export function asStored(vectors: Float32Array, dimensions: number): Float32Array {
  const { values, scales } = quantize(vectors, dimensions);
  return Float32Array.from(values, (value, at) => value * scales[Math.floor(at / dimensions)]!);
}
