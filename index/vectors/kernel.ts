/**
 * The inner loop of exact search: scores of one query against chosen rows. WebAssembly with SIMD if available, else
 * plain JavaScript with bitwise equal scores. `exact.ts` chooses the rows and collects the results.
 */

/** Rows per call: the two lists fit into the first-level cache (2 × 4 KiB). */
export const BLOCK_ROWS = 1024;

/** A matrix and a query in the kernel's memory. The caller fills and reads the arrays. */
export interface Kernel {
  /** True for the SIMD version. */
  readonly simd: boolean;
  /** `Int8Array[rows × stride]`. */
  readonly values: Int8Array;
  /** `Float32Array[rows]`. */
  readonly scales: Float32Array;
  /** `Int16Array[stride]`, the query. */
  readonly query: Int16Array;
  /** `Uint32Array[BLOCK_ROWS]`: the rows to score, and afterwards the kept ones. The kernel writes nothing else. */
  readonly rows: Uint32Array;
  /** `Float32Array[BLOCK_ROWS]`: the scores of the kept rows. */
  readonly scores: Float32Array;
  /**
   * Scores the first `count` of `rows`: (query · row) × scale of the row × `queryScale`, in float32 after the integer
   * sum. Keeps those at or above `bar`, in order, and returns their number.
   */
  score(count: number, queryScale: number, bar: number): number;
}

/** `kernel.wat`, compiled by wabt; a test compiles it again and compares. */
export const KERNEL_BASE64 =
  'AGFzbQEAAAABDgFgCX9/f399f39/fQF/AhIBBm1hdHJpeAZtZW1vcnkCAAEDAgEABwkBBXNjb3JlAAAKxwYBxAYCDX8GeyAFIQsgBSEKIAUgB0ECdGohCQJAA0AgBSAJTw0BIAUoAgAhDCAFKAIEIQ0gBSgCCCEOIAUoAgwhDyABIAwgAmxqIRAgASANIAJsaiERIAEgDiACbGohEiABIA8gAmxqIRMgECACaiEVIAAhFP0MAAAAAAAAAAAAAAAAAAAAACEY/QwAAAAAAAAAAAAAAAAAAAAAIRn9DAAAAAAAAAAAAAAAAAAAAAAhGv0MAAAAAAAAAAAAAAAAAAAAACEbA0AgFP0ABAAhFiAU/QAEECEXIBggEP0BAwAgFv26ASAQ/QEDCCAX/boB/a4B/a4BIRggGSAR/QEDACAW/boBIBH9AQMIIBf9ugH9rgH9rgEhGSAaIBL9AQMAIBb9ugEgEv0BAwggF/26Af2uAf2uASEaIBsgE/0BAwAgFv26ASAT/QEDCCAX/boB/a4B/a4BIRsgEEEQaiEQIBFBEGohESASQRBqIRIgE0EQaiETIBRBIGohFCAQIBVHDQALIBggGf0NAAECAxAREhMEBQYHFBUWFyAYIBn9DQgJCgsYGRobDA0ODxwdHh/9rgEhFiAaIBv9DQABAgMQERITBAUGBxQVFhcgGiAb/Q0ICQoLGBkaGwwNDg8cHR4f/a4BIRcgFiAX/Q0AAQIDBAUGBxAREhMUFRYXIBYgF/0NCAkKCwwNDg8YGRobHB0eH/2uASEWIAMgDEECdGr9XAIAIRcgAyANQQJ0aiAX/VYCAAEhFyADIA5BAnRqIBf9VgIAAiEXIAMgD0ECdGogF/1WAgADIRcgFv36ASAX/eYBIAT9E/3mASEWIAogDDYCACAGIBb9HwA4AgAgFv0fACAIYEECdCEQIAogEGohCiAGIBBqIQYgCiANNgIAIAYgFv0fATgCACAW/R8BIAhgIAVBBGogCUlxQQJ0IRAgCiAQaiEKIAYgEGohBiAKIA42AgAgBiAW/R8COAIAIBb9HwIgCGAgBUEIaiAJSXFBAnQhECAKIBBqIQogBiAQaiEGIAogDzYCACAGIBb9HwM4AgAgFv0fAyAIYCAFQQxqIAlJcUECdCEQIAogEGohCiAGIBBqIQYgBUEQaiEFDAALCyAKIAtrQQJ2Cw==';

const PAGE_BYTES = 65_536;
/** WebAssembly has 32-bit addresses. */
const MEMORY_BYTES = 2 ** 32;
/** Alignment of every array for SIMD, bytes. */
const ALIGNMENT = 16;

type ScoreFunction = (
  query: number,
  values: number,
  stride: number,
  scales: number,
  queryScale: number,
  rows: number,
  scores: number,
  count: number,
  bar: number,
) => number;

let compiled: WebAssembly.Module | null | undefined;

/** A kernel in WebAssembly memory, or null if the engine lacks SIMD or refuses the memory. */
export function simdKernel(rows: number, stride: number): Kernel | null {
  compiled ??= compile();
  if (compiled === null) return null;
  let bytes = 0;
  const place = (size: number) => {
    const at = bytes;
    bytes += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    return at;
  };
  const query = place(2 * stride);
  const list = place(4 * BLOCK_ROWS);
  const scores = place(4 * BLOCK_ROWS);
  const scales = place(4 * rows);
  const values = place(rows * stride);
  if (bytes > MEMORY_BYTES) return null;
  const pages = Math.ceil(bytes / PAGE_BYTES);
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch {
    return null;
  }
  const { exports } = new WebAssembly.Instance(compiled, { matrix: { memory } });
  // The cast is sound: the module is a constant of this file and exports this one function.
  const run = exports.score as ScoreFunction;
  const { buffer } = memory;
  return {
    simd: true,
    values: new Int8Array(buffer, values, rows * stride),
    scales: new Float32Array(buffer, scales, rows),
    query: new Int16Array(buffer, query, stride),
    rows: new Uint32Array(buffer, list, BLOCK_ROWS),
    scores: new Float32Array(buffer, scores, BLOCK_ROWS),
    score: (count, queryScale, bar) =>
      run(query, values, stride, scales, queryScale, list, scores, count, bar),
  };
}

/** The same in plain JavaScript, about twenty times slower. */
export function plainKernel(rows: number, stride: number): Kernel {
  const values = new Int8Array(rows * stride);
  const scales = new Float32Array(rows);
  const query = new Int16Array(stride);
  const list = new Uint32Array(BLOCK_ROWS);
  const scores = new Float32Array(BLOCK_ROWS);
  const score = (count: number, queryScale: number, bar: number) => {
    const scale = Math.fround(queryScale);
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = list[at]!;
      const from = row * stride;
      let sum = 0;
      for (let i = 0; i < stride; i += 1) sum += values[from + i]! * query[i]!;
      scores[kept] = Math.fround(Math.fround(sum) * scales[row]!) * scale;
      list[kept] = row;
      if (scores[kept]! >= bar) kept += 1;
    }
    return kept;
  };
  return { simd: false, values, scales, query, rows: list, scores, score };
}

function compile(): WebAssembly.Module | null {
  const bytes = Buffer.from(KERNEL_BASE64, 'base64');
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null;
}
