/**
 * The sum of a text's token vectors: the inner loop of a static embedding. WebAssembly with SIMD if available, else
 * plain JavaScript with bitwise equal sums. By hand because no library sums int8 rows with a scale each.
 */

import type { EmbeddingTable } from './tables.ts';

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

/**
 * Sums in WebAssembly memory. Rows are loaded when a text first needs them: queries use a few thousand of 30,000
 * tokens. Null if engine, memory or dimensions do not allow it.
 */
export function simdSum(table: EmbeddingTable, maxTokens: number): TokenSum | null {
  const { rows, dimensions } = table;
  compiled ??= compile();
  if (compiled === null || dimensions % STEP !== 0) return null;
  let bytes = 0;
  const place = (size: number) => {
    const at = bytes;
    bytes += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    return at;
  };
  const ids = place(4 * maxTokens);
  const sum = place(4 * dimensions);
  const scales = place(4 * rows);
  const values = bytes;
  const pagesFor = (loaded: number) => Math.ceil((values + loaded * dimensions) / PAGE_BYTES);
  let room = Math.min(rows, FIRST_ROWS);
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pagesFor(room), maximum: pagesFor(rows) });
  } catch {
    return null;
  }
  const { exports } = new WebAssembly.Instance(compiled, { table: { memory } });
  // The module is a constant of this file and exports this one function; a test compiles it from source.
  const run = exports.sum as SumFunction;
  const viewed = () => ({
    ids: new Uint32Array(memory.buffer, ids, maxTokens),
    sum: new Float32Array(memory.buffer, sum, dimensions),
    scales: new Float32Array(memory.buffer, scales, rows),
  });
  let views = viewed();
  /** 1 + the position of each row in memory, or 0 if it is not loaded. */
  const places = new Uint32Array(rows);
  let loaded = 0;
  const load = (row: number): number => {
    if (loaded === room) {
      const before = pagesFor(room);
      room = Math.min(rows, 2 * room);
      memory.grow(pagesFor(room) - before);
      // Growing the memory detaches the old views.
      views = viewed();
    }
    table.readRow(row, new Int8Array(memory.buffer, values + loaded * dimensions, dimensions));
    views.scales[loaded] = table.scales[row]!;
    loaded += 1;
    places[row] = loaded;
    return loaded;
  };
  return {
    simd: true,
    get ids() {
      return views.ids;
    },
    get sum() {
      return views.sum;
    },
    add(count) {
      for (let at = 0; at < count; at += 1) {
        const row = views.ids[at]!;
        const found = places[row]! || load(row);
        views.ids[at] = found - 1;
      }
      views.sum.fill(0);
      run(ids, count, values, dimensions, scales, sum);
    },
  };
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
