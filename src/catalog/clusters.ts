/** Groups vectors by direction. Knows nothing of skills; `themes.ts` makes themes of the groups. */

import { dot } from '../../index/vectors/float.ts';
import { takeTurns } from '../base/timing.ts';

/** Rounds of k-means: it converges earlier. */
const ROUNDS = 12;
/** Candidate seeds of a group, evenly spaced over the vectors. */
const SEED_CANDIDATES = 300;

/**
 * Positions of each group's members, nearest to its centre first; the largest group first, at most `k`, none empty. Spherical k-means over the vectors minus their mean, since what all share separates none. Seeded greedily:
 * each seed is the vector that brings all vectors nearest to their seeds. That is deterministic, and prefers dense regions to
 * outliers. Not ml-kmeans: the cohesion of its groups varies with the random seed, above and below these, and it brings a matrix
 * library. It takes turns, since a server goes on meanwhile.
 */
export async function findClusters(
  given: readonly Float32Array[],
  k: number,
): Promise<readonly (readonly number[])[]> {
  const yieldTurn = takeTurns();
  const total = sum(given);
  const mean = total.map((value) => value / Math.max(1, given.length));
  const vectors = given.map((vector) => unit(vector.map((value, at) => value - mean[at]!)));
  const centres = await seeds(vectors, k, yieldTurn);
  let members: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    members = centres.map(() => []);
    for (const [at, vector] of vectors.entries()) {
      members[largest(centres.map((centre) => dot(vector, centre)))]!.push(at);
      await yieldTurn();
    }
    members.forEach((own, group) => {
      if (own.length > 0) centres[group] = unit(sum(own.map((member) => vectors[member]!)));
    });
  }
  const found = members
    .map((own, group) => {
      const centre = centres[group]!;
      const nearness = (at: number) => dot(vectors[at]!, centre);
      return { centre, own: own.toSorted((a, b) => nearness(b) - nearness(a) || a - b) };
    })
    .filter(({ own }) => own.length > 0)
    .sort((a, b) => b.own.length - a.own.length || a.own[0]! - b.own[0]!);
  return found.map(({ own }) => own);
}

const largest = (scores: readonly number[]) => scores.indexOf(Math.max(...scores));

async function seeds(
  vectors: readonly Float32Array[],
  k: number,
  yieldTurn: () => Promise<void>,
): Promise<Float32Array[]> {
  const step = Math.max(1, Math.ceil(vectors.length / SEED_CANDIDATES));
  const candidates = vectors.filter((_, at) => at % step === 0);
  const similarities: Float32Array[] = [];
  for (const candidate of candidates) {
    similarities.push(Float32Array.from(vectors, (vector) => dot(candidate, vector)));
    await yieldTurn();
  }
  const nearness = new Float32Array(vectors.length);
  const chosen: Float32Array[] = [];
  while (chosen.length < Math.min(k, candidates.length)) {
    const gains = similarities.map((row) =>
      row.reduce((gain, similarity, at) => gain + Math.max(0, similarity - nearness[at]!), 0),
    );
    const best = largest(gains);
    similarities[best]!.forEach((similarity, at) => {
      nearness[at] = Math.max(nearness[at]!, similarity);
    });
    chosen.push(candidates[best]!);
    await yieldTurn();
  }
  return chosen;
}

function sum(vectors: readonly Float32Array[]): Float32Array {
  const total = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    vector.forEach((value, at) => {
      total[at]! += value;
    });
  return total;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}
