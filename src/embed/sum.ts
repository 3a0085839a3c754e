/**
 * The sum of a text's token vectors: the inner loop of a static embedding. WebAssembly with SIMD where it runs, else
 * plain JavaScript with bitwise the same sums. What becomes of the sum is `static.ts`'s affair.
 */

import type { EmbeddingTable } from './tables.ts';

/** A table and the place where a text meets it. */
export interface TokenSum {
  /** True where SIMD does the work. */
  readonly simd: boolean;
  /** `Uint32Array[maxTokens]`, filled by the caller for each sum: rows of the table, unchecked. */
  readonly ids: Uint32Array;
  /** `Float32Array[d]`, the result. */
  readonly sum: Float32Array;
  /**
   * Sets `sum` to the sum of the rows of the first `count` of `ids`, each times its scale, in float32, in that order.
   * Afterwards `ids` hold something else. May throw `ModelError`, where a row cannot be read.
   */
  add(count: number): void;
}

/** `sum.wat`, compiled by wabt. */
export const SUM_BASE64 =
  'AGFzbQEAAAABCgFgBn9/f39/fwACEQEFdGFibGUGbWVtb3J5AgABAwIBAAcHAQNzdW0AAAqrAQGoAQIFfwJ7IAAgAUECdGohBgJAA0AgACAGRg0BIAAoAgAhByAEIAdBAnRq/QkCACELIAIgByADbGohCCAIIANqIQkgBSEKA0AgCP0BAwAhDCAKIAr9AAQAIAsgDP2nAf36Af3mAf3kAf0LBAAgCiAK/QAEECALIAz9qAH9+gH95gH95AH9CwQQIAhBCGohCCAKQSBqIQogCCAJRw0ACyAAQQRqIQAMAAsLCw==';

/** Tokens of a text that count, from its start: bounds the time of a hostile query; passages are far shorter. */
const MAX_TOKENS = 8192;
const PAGE_BYTES = 65_536;
/** Alignment of every array, bytes: what SIMD loads like best. */
const ALIGNMENT = 16;
/** Components that one step adds. */
const STEP = 8;
/** Rows that there is room for at first: the words of some hundred questions. */
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
 * Sums in WebAssembly memory, to which rows are read when a text first has them: questions have a few thousand of 30,000
 * tokens. Null where engine, memory or dimensions don't allow it.
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
  const pagesFor = (held: number) => Math.ceil((values + held * dimensions) / PAGE_BYTES);
  let room = Math.min(rows, FIRST_ROWS);
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pagesFor(room), maximum: pagesFor(rows) });
  } catch {
    return null;
  }
  const { exports } = new WebAssembly.Instance(compiled, { table: { memory } });
  // The module is a constant of this file and exports this one function; a test compiles it from its source.
  const run = exports.sum as SumFunction;
  const viewed = () => ({
    ids: new Uint32Array(memory.buffer, ids, maxTokens),
    sum: new Float32Array(memory.buffer, sum, dimensions),
    scales: new Float32Array(memory.buffer, scales, rows),
  });
  let views = viewed();
  /** 1 + the place of each row that is in memory, or 0. */
  const places = new Uint32Array(rows);
  let held = 0;
  const load = (row: number): number => {
    if (held === room) {
      const before = pagesFor(room);
      room = Math.min(rows, 2 * room);
      memory.grow(pagesFor(room) - before);
      // The old ones have lost their memory.
      views = viewed();
    }
    table.readRow(row, new Int8Array(memory.buffer, values + held * dimensions, dimensions));
    views.scales[held] = table.scales[row]!;
    held += 1;
    places[row] = held;
    return held;
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

/** The same in plain JavaScript, some eight times slower. */
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
