/**
 * The sum of a text's token vectors: the inner loop of a static embedding. WebAssembly with SIMD if available, else
 * plain JavaScript with bitwise equal sums. By hand because no library sums int8 rows with a scale each.
 */

import type { EmbeddingTable } from './model-file.ts';

/** A table with buffers for token ids and their sum. */
export interface TokenSum {
  /** True if SIMD is used. */
  readonly simd: boolean;
  /** `Uint32Array[maxTokens]`, filled by the caller before each sum: rows of the table, not checked. */
  readonly ids: Uint32Array;
  /** `Float32Array[d]`, the result. */
  readonly sum: Float32Array;
  /**
   * Sets `sum` to the sum of the rows of the first `count` of `ids`, each times its scale, in float32, in that
   * order. Overwrites `ids`. May throw `ModelError` if a row cannot be read.
   */
  add(count: number): void;
}

/** `sum.wat`, compiled by wabt. */
export const SUM_BASE64 =
  'AGFzbQEAAAABCgFgBn9/f39/fwACEQEFdGFibGUGbWVtb3J5AgABAwIBAAcHAQNzdW0AAAqrAQGoAQIFfwJ7IAAgAUECdGohBgJAA0AgACAGRg0BIAAoAgAhByAEIAdBAnRq/QkCACELIAIgByADbGohCCAIIANqIQkgBSEKA0AgCP0BAwAhDCAKIAr9AAQAIAsgDP2nAf36Af3mAf3kAf0LBAAgCiAK/QAEECALIAz9qAH9+gH95gH95AH9CwQQIAhBCGohCCAKQSBqIQogCCAJRw0ACyAAQQRqIQAMAAsLCw==';

/** Tokens of a text that count, from its start: bounds the time of a hostile query; passages are far shorter. */
const MAX_TOKENS = 8192;
const PAGE_BYTES = 65_536;
/** Alignment of every array, bytes, for SIMD loads. */
const ALIGNMENT = 16;
/** Components added per step. */
const STEP = 8;
/** Rows allocated at first: enough for the words of a few hundred queries. */
const FIRST_ROWS = 1_024;

type SumFunction = (
  ids: number,
  count: number,
  values: number,
  dimensions: number,
  scales: number,
  sum: number,
) => void;

let compiled: WebAssembly.Module | null | undefined;

export function tokenSum(table: EmbeddingTable): TokenSum {
  return simdSum(table, MAX_TOKENS) ?? plainSum(table, MAX_TOKENS);
}

/** Sums in WebAssembly memory. Null if engine, memory or dimensions do not allow it. */
export function simdSum(table: EmbeddingTable, maxTokens: number): TokenSum | null {
  compiled ??= compile();
  if (compiled === null || table.dimensions % STEP !== 0) return null;
  try {
    return new SimdSum(table, maxTokens, compiled);
  } catch (error) {
    // Not enough memory.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Rows are loaded when a text first needs them: queries use a few thousand of 30,000 tokens. */
class SimdSum implements TokenSum {
  readonly simd = true;
  ids!: Uint32Array;
  sum!: Float32Array;
  #scales!: Float32Array;
  readonly #table: EmbeddingTable;
  readonly #maxTokens: number;
  readonly #memory: WebAssembly.Memory;
  readonly #run: SumFunction;
  /** Positions in memory, bytes. */
  readonly #at: Readonly<Record<'ids' | 'sum' | 'scales' | 'values', number>>;
  /** 1 + the position of each row in memory, or 0 if it is not loaded. */
  readonly #places: Uint32Array;
  #loaded = 0;
  #room: number;

  /** Throws `RangeError` if there is not enough memory. */
  constructor(table: EmbeddingTable, maxTokens: number, module: WebAssembly.Module) {
    const { rows, dimensions } = table;
    this.#table = table;
    this.#maxTokens = maxTokens;
    const aligned = (size: number) => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    const sum = aligned(4 * maxTokens);
    const scales = sum + aligned(4 * dimensions);
    this.#at = { ids: 0, sum, scales, values: scales + aligned(4 * rows) };
    this.#room = Math.min(rows, FIRST_ROWS);
    this.#memory = new WebAssembly.Memory({ initial: this.#pages(this.#room), maximum: this.#pages(rows) });
    const { exports } = new WebAssembly.Instance(module, { table: { memory: this.#memory } });
    // The module is a constant of this file and exports this one function; a test compiles it from source.
    this.#run = exports.sum as SumFunction;
    this.#places = new Uint32Array(rows);
    this.#view();
  }

  add(count: number): void {
    for (let at = 0; at < count; at += 1) {
      const row = this.ids[at]!;
      const place = this.#places[row]! || this.#load(row);
      this.ids[at] = place - 1;
    }
    this.sum.fill(0);
    const { ids, values, scales, sum } = this.#at;
    this.#run(ids, count, values, this.#table.dimensions, scales, sum);
  }

  #load(row: number): number {
    const { rows, dimensions, scales } = this.#table;
    if (this.#loaded === this.#room) {
      const before = this.#pages(this.#room);
      this.#room = Math.min(rows, 2 * this.#room);
      this.#memory.grow(this.#pages(this.#room) - before);
      // Growing the memory detaches the old views.
      this.#view();
    }
    const at = this.#at.values + this.#loaded * dimensions;
    this.#table.readRow(row, new Int8Array(this.#memory.buffer, at, dimensions));
    this.#scales[this.#loaded] = scales[row]!;
    this.#loaded += 1;
    this.#places[row] = this.#loaded;
    return this.#loaded;
  }

  #view(): void {
    const { buffer } = this.#memory;
    this.ids = new Uint32Array(buffer, this.#at.ids, this.#maxTokens);
    this.sum = new Float32Array(buffer, this.#at.sum, this.#table.dimensions);
    this.#scales = new Float32Array(buffer, this.#at.scales, this.#table.rows);
  }

  #pages(rows: number): number {
    return Math.ceil((this.#at.values + rows * this.#table.dimensions) / PAGE_BYTES);
  }
}

/** The same in plain JavaScript, about eight times slower. */
export function plainSum(table: EmbeddingTable, maxTokens: number): TokenSum {
  const { rows, dimensions, scales } = table;
  const values = new Int8Array(rows * dimensions);
  for (let row = 0; row < rows; row += 1)
    table.readRow(row, values.subarray(row * dimensions, (row + 1) * dimensions));
  const ids = new Uint32Array(maxTokens);
  const sum = new Float32Array(dimensions);
  return {
    simd: false,
    ids,
    sum,
    add(count) {
      sum.fill(0);
      for (let token = 0; token < count; token += 1) {
        const from = ids[token]! * dimensions;
        const scale = scales[ids[token]!]!;
        for (let at = 0; at < dimensions; at += 1) sum[at]! += Math.fround(values[from + at]! * scale);
      }
    },
  };
}

function compile(): WebAssembly.Module | null {
  const bytes = Buffer.from(SUM_BASE64, 'base64');
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null;
}
