/** Groups points of a plane into regions: k-means, seeded greedily, so that it is deterministic. */

/** Rounds of k-means: it settles earlier. */
const ROUNDS = 25;
/** Points that may become the first centres, evenly spaced. */
const CANDIDATES = 400;
/** Distance from which a point counts as far from every seed: the map is about 2 wide. */
const FAR = 1;

export interface Region {
  /** Positions of its points, nearest to the middle first; never empty. */
  readonly members: readonly number[];
  readonly x: number;
  readonly y: number;
}

/** At most `most` regions of the points x, y, x, y, …. */
export function regions(places: Float32Array, most: number): Region[] {
  const count = places.length / 2;
  let centres = seeds(places, Math.min(most, count));
  let members: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    members = centres.map(() => []);
    for (let at = 0; at < count; at += 1) members[nearest(places, at, centres)]!.push(at);
    centres = members.map((own, centre) => (own.length === 0 ? centres[centre]! : middle(places, own)));
  }
  return members.flatMap((own, centre) => {
    const [x, y] = centres[centre]!;
    if (own.length === 0) return [];
    return {
      members: own.sort((a, b) => squared(places, a, x, y) - squared(places, b, x, y) || a - b),
      x,
      y,
    };
  });
}

type Place = readonly [x: number, y: number];

/** Each next seed is the candidate that brings all of them nearest to their seeds: in dense parts, not far outside. */
function seeds(places: Float32Array, most: number): Place[] {
  const count = places.length / 2;
  const step = Math.max(1, Math.floor(count / CANDIDATES));
  const candidates = Array.from({ length: Math.ceil(count / step) }, (_, number) => number * step);
  const gaps = candidates.map(() => Number.POSITIVE_INFINITY);
  const found: Place[] = [];
  while (found.length < most) {
    let best = 0;
    let bestGain = -1;
    for (const [number, at] of candidates.entries()) {
      const [x, y] = [places[2 * at]!, places[2 * at + 1]!];
      // How much nearer to a seed this one would bring the others.
      let gain = 0;
      for (const [other, place] of candidates.entries())
        gain += Math.max(0, Math.min(gaps[other]!, FAR) - Math.sqrt(squared(places, place, x, y)));
      if (gain > bestGain) [best, bestGain] = [number, gain];
    }
    const at = candidates[best]!;
    const [x, y] = [places[2 * at]!, places[2 * at + 1]!];
    found.push([x, y]);
    for (const [other, place] of candidates.entries())
      gaps[other] = Math.min(gaps[other]!, Math.sqrt(squared(places, place, x, y)));
  }
  return found;
}

function nearest(places: Float32Array, at: number, centres: readonly Place[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [number, [x, y]] of centres.entries()) {
    const distance = squared(places, at, x, y);
    if (distance < least) [best, least] = [number, distance];
  }
  return best;
}

function middle(places: Float32Array, members: readonly number[]): Place {
  let x = 0;
  let y = 0;
  for (const at of members) {
    x += places[2 * at]!;
    y += places[2 * at + 1]!;
  }
  return [x / members.length, y / members.length];
}

const squared = (places: Float32Array, at: number, x: number, y: number) =>
  (places[2 * at]! - x) ** 2 + (places[2 * at + 1]! - y) ** 2;
