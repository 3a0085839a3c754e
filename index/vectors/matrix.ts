/** Rows of int8 in memory that the kernel scans in place. Filled once, then only read. */

import { IndexError } from '../errors.ts';
import { type Quantized, quantize } from './int8.ts';
import { type Kernel, plainKernel, simdKernel } from './kernel.ts';

/** Rows are padded to a multiple of this many components, one step of the kernel. */
const STEP = 16;
/** Room for extra rows in a matrix that can be continued: only one of so many single-row commits copies all rows. */
const SPARE_ROWS = 1_024;

export class Int8Matrix {
  readonly rows: number;
  /** d, without padding. */
  readonly dimensions: number;
  /** `Float32Array[rows]`: factor of a row's components; 0 marks a row without a vector. */
  readonly scales: Float32Array;
  /** Scores rows of this matrix. */
  readonly kernel: Kernel;
  readonly #stride: number;
  /** Shared by all matrices in the same memory. */
  readonly #room: { used: number; readonly rows: number };

  /**
   * A matrix of zeros in WebAssembly memory (one allocation, up to 4 GiB), or in plain memory if that is not available.
   * `simd: false` selects plain memory; `spare: true` adds room for `continued`. Throws `INDEX_INPUT` if there is not
   * enough memory.
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
        `Not enough memory for ${rows} vectors of ${dimensions} dimensions.`,
        { cause },
      );
    }
  }

  /** A matrix of the given rows. */
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
   * A matrix in the same memory that starts with all rows of this one; the others are zeros. Null if there is no room
   * or the room is already taken: a matrix is continued once. Filling one does not affect the other.
   */
  continued(rows: number): Int8Matrix | null {
    const room = this.#room;
    if (room.used !== this.rows || rows < this.rows || rows > room.rows) return null;
    room.used = rows;
    return new Int8Matrix(rows, this.dimensions, room, this.kernel);
  }

  /**
   * Calls `read` to write the components of `count` rows starting at `row`: `target` is `count × d` bytes, row-major,
   * int8. Without padding, `target` is the matrix's own memory, so a file is read straight into place.
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

  /** Copies `count` rows of another matrix of the same dimensions, starting at its row `from`, to `row`. */
  copy(row: number, count: number, other: Int8Matrix, from: number): void {
    const stride = this.#stride;
    const rows = other.kernel.values.subarray(from * stride, (from + count) * stride);
    this.kernel.values.set(rows, row * stride);
    this.scales.set(other.scales.subarray(from, from + count), row);
  }

  /** The memory of all rows if they are not padded; null otherwise. */
  unpadded(): Uint8Array | null {
    const { buffer, byteOffset } = this.kernel.values;
    const bytes = this.rows * this.#stride;
    return this.dimensions === this.#stride ? new Uint8Array(buffer, byteOffset, bytes) : null;
  }

  /** The row as floats: `Float32Array[d]`. */
  vector(row: number): Float32Array {
    const scale = this.scales[row]!;
    const from = row * this.#stride;
    return Float32Array.from(
      this.kernel.values.subarray(from, from + this.dimensions),
      (value) => value * scale,
    );
  }
}

/** The vectors after a round trip through int8, as the index returns them: `Float32Array[n × d]`, row-major. */
export function asStored(vectors: Float32Array, dimensions: number): Float32Array {
  const { values, scales } = quantize(vectors, dimensions);
  return Float32Array.from(values, (value, at) => value * scales[Math.floor(at / dimensions)]!);
}
