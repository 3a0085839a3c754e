/**
 * The sum of a text's token vectors: the inner loop of a static embedding. WebAssembly with SIMD where it runs, else
 * plain JavaScript with bitwise the same sums. What becomes of the sum is `static.ts`'s affair.
 */

import type { EmbeddingTable } from './tables.ts';

/** A table and the place where a text meets it. */
export interface TokenSum {
  /** True where SIMD does the work. */
  readonly simd: boolean;
  /** `Uint32Array[maxTokens]`, filled by the caller: rows of the table, unchecked. */
  readonly ids: Uint32Array;
  /** `Float32Array[d]`, the result. */
  readonly sum: Float32Array;
  /** Sets `sum` to the sum of the rows of the first `count` of `ids`, each times its scale, in float32, in that order. */
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

/** Sums in WebAssembly memory, where the table is read to; null where engine, memory or dimensions don't allow it. */
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
  const values = place(rows * dimensions);
  const pages = Math.ceil(bytes / PAGE_BYTES);
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch {
    return null;
  }
  const { exports } = new WebAssembly.Instance(compiled, { table: { memory } });
  // The module is a constant of this file and exports this one function; a test compiles it from its source.
  const run = exports.sum as SumFunction;
  const { buffer } = memory;
  table.readInto(new Int8Array(buffer, values, rows * dimensions));
  new Float32Array(buffer, scales, rows).set(table.scales);
  const result = new Float32Array(buffer, sum, dimensions);
  return {
    simd: true,
    ids: new Uint32Array(buffer, ids, maxTokens),
    sum: result,
    add(count) {
      result.fill(0);
      run(ids, count, values, dimensions, scales, sum);
    },
  };
}

/** The same in plain JavaScript, some eight times slower. */
export function plainSum(table: EmbeddingTable, maxTokens: number): TokenSum {
  const { rows, dimensions, scales } = table;
  const values = new Int8Array(rows * dimensions);
  table.readInto(values);
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
