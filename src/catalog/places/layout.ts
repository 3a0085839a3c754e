/**
 * Skills in the plane: those that mean the same lie together. UMAP (McInnes, Healy, Melville, arXiv 1802.03426) over the
 * neighbours that the index finds. It starts from the two main directions of the vectors instead of at random, so the result
 * is deterministic and far parts of the catalog stay apart. Not umap-js: `docs/decisions/page.md`.
 */

import { seeded } from '../../../index/numbers.ts';
import { dot } from '../../../index/vectors/float.ts';

/** Neighbours of each skill, without itself: UMAP's default of 15 counts the point. */
export const NEIGHBOURS = 14;
/** Rounds by number of skills: large maps settle in fewer, since each round moves more neighbours. */
const ROUNDS = { small: 400, large: 150, from: 5_000 } as const;
/** The curve of similarity over distance in the plane, 1 / (1 + a·d²ᵇ), for a least distance of 0.1 and a spread of 1. */
const A = 1.577;
const B = 0.8951;
/** Points that push away for each neighbour that pulls. */
const NEGATIVES = 5;
/** Longest move of a point at once, as in the reference implementation. */
const LONGEST_MOVE = 4;
const SEED = 7;
/** Power iterations for a main direction: its order of magnitude is enough. */
const ITERATIONS = 12;
/** Half the side of the square in which it starts. */
const START = 10;

/** The nearest others of each point, nearest first, in rows of `width`. */
export interface Neighbours {
  readonly width: number;
  /** Positions of the points: `Uint32Array[n × width]`. */
  readonly points: Uint32Array;
  /** Cosine distances, ≥ 0: `Float32Array[n × width]`. */
  readonly distances: Float32Array;
}

/** x and y of each vector, within −1…1: `Float32Array[2n]`. `onProgress` gets 0–1. */
export async function layout(
  vectors: readonly Float32Array[],
  neighbours: Neighbours,
  onProgress: (share: number) => void | Promise<void> = () => {},
): Promise<Float32Array> {
  const places = mainPlane(vectors).map((value) => START * value);
  const count = vectors.length;
  if (neighbours.width === 0) return fitted(places);
  const { from, to, every } = toEdges(neighbours);
  const random = seeded(SEED);
  const rounds = count < ROUNDS.from ? ROUNDS.small : ROUNDS.large;
  const next = every.slice();
  for (let round = 0; round < rounds; round += 1) {
    const step = 1 - round / rounds;
    for (let edge = 0; edge < from.length; edge += 1) {
      if (next[edge]! > round) continue;
      next[edge]! += every[edge]!;
      const a = 2 * from[edge]!;
      pull(places, a, 2 * to[edge]!, step);
      for (let push = 0; push < NEGATIVES; push += 1) away(places, a, 2 * Math.floor(random() * count), step);
    }
    await onProgress((round + 1) / rounds);
  }
  return fitted(places);
}

/**
 * A force by the leading 16 bits of the squared distance as a 32-bit float: 128 steps for each power of two, wrong by 0.4 % at most.
 * Computing a power for each push takes half of the time of a layout.
 */
function tabulate(force: (squared: number, power: number) => number): Float32Array {
  return Float32Array.from({ length: 2 ** 15 }, (_, bin) => {
    BITS[0] = (bin << 16) | 0x8000;
    return force(SQUARED[0]!, SQUARED[0]! ** B);
  });
}
const SQUARED = new Float32Array(1);
const BITS = new Uint32Array(SQUARED.buffer);
const PULL = tabulate((squared, power) => (-2 * A * B * power) / (squared * (A * power + 1)));
const PUSH = tabulate((squared, power) => (2 * B) / ((0.001 + squared) * (A * power + 1)));

function lookUp(forces: Float32Array, x: number, y: number): number {
  SQUARED[0] = x * x + y * y;
  return forces[BITS[0]! >>> 16]!;
}

/** Moves two neighbours towards each other. */
function pull(places: Float32Array, a: number, b: number, step: number): void {
  const x = places[a]! - places[b]!;
  const y = places[a + 1]! - places[b + 1]!;
  const force = lookUp(PULL, x, y);
  const moveX = step * clipped(force * x);
  const moveY = step * clipped(force * y);
  places[a]! += moveX;
  places[a + 1]! += moveY;
  places[b]! -= moveX;
  places[b + 1]! -= moveY;
}

/** Moves a point away from any other. */
function away(places: Float32Array, a: number, b: number, step: number): void {
  if (a === b) return;
  const x = places[a]! - places[b]!;
  const y = places[a + 1]! - places[b + 1]!;
  const force = lookUp(PUSH, x, y);
  places[a]! += step * clipped(force * x);
  places[a + 1]! += step * clipped(force * y);
}

const clipped = (move: number) => Math.max(-LONGEST_MOVE, Math.min(LONGEST_MOVE, move));

/** The fuzzy graph: its edges in both directions, and after how many rounds each one pulls again. */
function toEdges({ width, points, distances }: Neighbours) {
  const count = points.length / width;
  const own = new Float32Array(points.length);
  for (let point = 0; point < count; point += 1)
    own.set(memberships(distances.subarray(point * width, (point + 1) * width)), point * width);
  const from: number[] = [];
  const to: number[] = [];
  const weights: number[] = [];
  const add = (a: number, b: number, weight: number) => {
    from.push(a);
    to.push(b);
    weights.push(weight);
  };
  for (let a = 0; a < count; a += 1)
    for (let at = a * width; at < (a + 1) * width; at += 1) {
      const b = points[at]!;
      const back = points.subarray(b * width, (b + 1) * width).indexOf(a);
      const other = back < 0 ? 0 : own[b * width + back]!;
      const weight = own[at]! + other - own[at]! * other;
      if (weight === 0) continue;
      add(a, b, weight);
      // A neighbour that has this one as its neighbour adds the other direction itself.
      if (back < 0) add(b, a, weight);
    }
  const most = weights.reduce((high, weight) => Math.max(high, weight), 0);
  return { from, to, every: Float64Array.from(weights, (weight) => most / weight) };
}

/** Weights of a point's neighbours, 0–1: the nearest has 1, and together they have log₂ of their number. */
function memberships(distances: Float32Array): Float32Array {
  const nearest = distances[0] ?? 0;
  const wanted = Math.log2(distances.length + 1);
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  let scale = 1;
  for (let round = 0; round < 40; round += 1) {
    let sum = 0;
    for (const distance of distances) sum += Math.exp(-Math.max(0, distance - nearest) / scale);
    if (Math.abs(sum - wanted) < 1e-5) break;
    if (sum > wanted) high = scale;
    else low = scale;
    scale = high === Number.POSITIVE_INFINITY ? scale * 2 : (low + high) / 2;
  }
  // Copies have no distance at all: their scale would be 0.
  const least = 1e-3 * (distances.reduce((sum, distance) => sum + distance, 0) / distances.length || 1);
  return distances.map((distance) => Math.exp(-Math.max(0, distance - nearest) / Math.max(scale, least)));
}

/** Projection on the two main directions (principal components), by power iteration. */
function mainPlane(vectors: readonly Float32Array[]): Float32Array {
  const dimensions = vectors[0]?.length ?? 0;
  const mean = new Float32Array(dimensions);
  for (const vector of vectors)
    for (let at = 0; at < dimensions; at += 1) mean[at]! += vector[at]! / vectors.length;
  const random = seeded(SEED);
  const axes: Float32Array[] = [];
  for (let axis = 0; axis < 2; axis += 1) {
    let direction = unit(Float32Array.from({ length: dimensions }, () => random() - 0.5));
    for (let round = 0; round < ITERATIONS; round += 1) {
      const next = new Float32Array(dimensions);
      for (const vector of vectors) {
        const along = dot(vector, direction) - dot(mean, direction);
        for (let at = 0; at < dimensions; at += 1) next[at]! += along * (vector[at]! - mean[at]!);
      }
      for (const before of axes) {
        const shared = dot(next, before);
        for (let at = 0; at < dimensions; at += 1) next[at]! -= shared * before[at]!;
      }
      direction = unit(next);
    }
    axes.push(direction);
  }
  const places = new Float32Array(2 * vectors.length);
  vectors.forEach((vector, at) => {
    // A little noise: nothing could part points that are in the same place.
    axes.forEach((axis, side) => {
      places[2 * at + side] = dot(vector, axis) - dot(mean, axis) + 1e-4 * (random() - 0.5);
    });
  });
  return fitted(places);
}

/** Moved and scaled by one factor, so that all points lie within −1…1. */
function fitted(places: Float32Array): Float32Array {
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  places.forEach((value, at) => {
    low[at % 2] = Math.min(low[at % 2]!, value);
    high[at % 2] = Math.max(high[at % 2]!, value);
  });
  const half = Math.max(high[0]! - low[0]!, high[1]! - low[1]!, 1e-9) / 2;
  return places.map((value, at) => (value - (low[at % 2]! + high[at % 2]!) / 2) / half);
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : vector;
}
