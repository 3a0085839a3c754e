/** Groups vectors by direction. Knows nothing of skills; `themes.ts` makes themes of the groups. */

import { dot } from '../../index/vectors/float.ts';

/** Rounds of k-means: it converges earlier. */
const ROUNDS = 12;
/** Candidate seeds of a group, evenly spaced over the vectors. */
const SEED_CANDIDATES = 300;

interface Clusters {
  /** Positions of each group's members, nearest to its centre first; the largest group first, none is empty. */
  readonly groups: readonly (readonly number[])[];
  /** Number of the group whose centre is nearest to any vector. */
  nearest(vector: Float32Array): number;
}

/**
 * At most `k` groups. Spherical k-means over the vectors minus their mean, since what all share separates none. Seeded greedily:
 * each seed is the vector that brings all vectors nearest to their seeds. That is deterministic, and prefers dense regions to
 * outliers. Not ml-kmeans: the cohesion of its groups varies with the random seed, above and below these, and it brings a matrix
 * library.
 */
export function clustersOf(given: readonly Float32Array[], k: number): Clusters {
  const total = sum(given);
  const mean = total.map((value) => value / Math.max(1, given.length));
  const vectors = given.map((vector) => unit(vector.map((value, at) => value - mean[at]!)));
  const centres = seeds(vectors, k);
  let members: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    members = centres.map(() => []);
    vectors.forEach((vector, at) => {
      members[largest(centres.map((centre) => dot(vector, centre)))]!.push(at);
    });
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
  const shared = found.map(({ centre }) => dot(mean, centre));
  return {
    groups: found.map(({ own }) => own),
    nearest: (vector) => largest(found.map(({ centre }, group) => dot(vector, centre) - shared[group]!)),
  };
}

const largest = (scores: readonly number[]) => scores.indexOf(Math.max(...scores));

function seeds(vectors: readonly Float32Array[], k: number): Float32Array[] {
  const step = Math.max(1, Math.ceil(vectors.length / SEED_CANDIDATES));
  const candidates = vectors.filter((_, at) => at % step === 0);
  const similarities = candidates.map((candidate) =>
    Float32Array.from(vectors, (vector) => dot(candidate, vector)),
  );
  const nearness = new Float32Array(vectors.length);
  return Array.from({ length: Math.min(k, candidates.length) }, () => {
    const gains = similarities.map((row) =>
      row.reduce((gain, similarity, at) => gain + Math.max(0, similarity - nearness[at]!), 0),
    );
    const best = largest(gains);
    similarities[best]!.forEach((similarity, at) => {
      nearness[at] = Math.max(nearness[at]!, similarity);
    });
    return candidates[best]!;
  });
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
