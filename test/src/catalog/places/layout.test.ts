import { describe, expect, it } from 'vitest';
import { layout } from '../../../../src/catalog/places/layout.ts';

/** `size` points around each of three directions. */
function clusters(size: number) {
  const groups = [0, 1, 2].flatMap((group) =>
    Array.from({ length: size }, (_, at) => {
      const vector = new Float32Array(6).map((_value, side) => 0.05 * Math.sin(7 * at + 3 * side + group));
      vector[group] = 1;
      return { group, vector };
    }),
  );
  const vectors = groups.map(({ vector }) => vector);
  const width = 5;
  const points = new Uint32Array(vectors.length * width);
  const distances = new Float32Array(vectors.length * width);
  vectors.forEach((vector, at) => {
    const near = vectors
      .map((other, place) => ({
        place,
        distance: Math.hypot(...vector.map((value, side) => value - other[side]!)),
      }))
      .filter(({ place }) => place !== at)
      .sort((a, b) => a.distance - b.distance)
      .slice(0, width);
    points.set(
      near.map(({ place }) => place),
      at * width,
    );
    distances.set(
      near.map(({ distance }) => distance),
      at * width,
    );
  });
  return { groups, vectors, neighbours: { width, points, distances } };
}

const distance = (places: Float32Array, a: number, b: number) =>
  Math.hypot(places[2 * a]! - places[2 * b]!, places[2 * a + 1]! - places[2 * b + 1]!);

describe('layout', () => {
  it('puts what is alike together and what is not apart', async () => {
    const { groups, vectors, neighbours } = clusters(20);
    const places = await layout(vectors, neighbours);
    let inside = 0;
    let between = Number.POSITIVE_INFINITY;
    groups.forEach((a, at) => {
      groups.forEach((b, other) => {
        if (a.group === b.group) inside = Math.max(inside, distance(places, at, other));
        else between = Math.min(between, distance(places, at, other));
      });
    });
    expect(between).toBeGreaterThan(inside);
  });

  it('stays within −1…1, gives the same twice, and reports its progress', async () => {
    const { vectors, neighbours } = clusters(8);
    const shares: number[] = [];
    const places = await layout(vectors, neighbours, (share) => {
      shares.push(share);
    });
    expect(Math.max(...places.map(Math.abs))).toBeLessThanOrEqual(1 + 1e-6);
    expect(await layout(vectors, neighbours)).toEqual(places);
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  it('has a place for each of a few skills, and for copies in one place', async () => {
    for (const count of [0, 1, 2]) {
      const vectors = Array.from({ length: count }, () => Float32Array.of(1, 0));
      const width = Math.max(0, count - 1);
      const points = Uint32Array.from({ length: count * width }, (_, at) => 1 - at);
      const places = await layout(vectors, { width, points, distances: new Float32Array(points.length) });
      expect(places).toHaveLength(2 * count);
      expect(places.every(Number.isFinite)).toBe(true);
    }
  });
});
