import { describe, expect, it } from 'vitest';
import { gathered } from '../../../extensions/explore/islands.ts';
import { layout } from '../../../extensions/explore/layout.ts';
import { mapOf } from '../../../extensions/explore/map.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

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
  it('puts what is alike together and what is not apart', () => {
    const { groups, vectors, neighbours } = clusters(20);
    const places = layout(vectors, neighbours);
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

  it('stays within −1…1, gives the same twice, and reports its progress', () => {
    const { vectors, neighbours } = clusters(8);
    const shares: number[] = [];
    const places = layout(vectors, neighbours, (share) => shares.push(share));
    expect(Math.max(...places.map(Math.abs))).toBeLessThanOrEqual(1 + 1e-6);
    expect(layout(vectors, neighbours)).toEqual(places);
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  it('has a place for each of a few skills, and for copies in one place', () => {
    for (const count of [0, 1, 2]) {
      const vectors = Array.from({ length: count }, () => Float32Array.of(1, 0));
      const width = Math.max(0, count - 1);
      const points = Uint32Array.from({ length: count * width }, (_, at) => 1 - at);
      const places = layout(vectors, { width, points, distances: new Float32Array(points.length) });
      expect(places).toHaveLength(2 * count);
      expect(places.every(Number.isFinite)).toBe(true);
    }
  });
});

describe('gathered', () => {
  /** 400 points in a square of side 1, a group of 20 far to the left, and two points still farther away. */
  const INNER = Array.from({ length: 400 }, (_, at) => [(at % 20) / 20, Math.floor(at / 20) / 20]);
  const GROUP = Array.from({ length: 20 }, (_, at) => [-30 + (at % 5) / 100, 5 + Math.floor(at / 5) / 100]);
  const before = Float32Array.from([...INNER, ...GROUP, [60, -10], [0.5, 90]].flat());
  const after = gathered(before);
  const widthOf = (places: Float32Array, from: number, to: number) => {
    const xs = places.filter((_, at) => at % 2 === 0).subarray(from, to);
    return Math.max(...xs) - Math.min(...xs);
  };

  it('brings groups that are far outside nearer, each in its own shape, so that the others keep most of the map', () => {
    expect(widthOf(before, 0, 400) / widthOf(before, 0, 422)).toBeLessThan(0.02);
    expect(widthOf(after, 0, 400) / widthOf(after, 0, 422)).toBeGreaterThan(0.6);
    expect(distance(after, 400, 419)).toBeCloseTo(distance(before, 400, 419), 4);
    expect(after.subarray(0, 800)).toEqual(before.subarray(0, 800));
  });

  it('keeps the direction in which they lie, and lays none over another', () => {
    for (const [point, side, sign] of [
      [400, 0, -1],
      [420, 0, 1],
      [421, 1, 1],
    ] as const)
      expect(sign * (after[2 * point + side]! - 0.5)).toBeGreaterThan(0.5);
    for (const point of [400, 420, 421])
      for (let other = 0; other < 400; other += 1)
        expect(distance(after, point, other)).toBeGreaterThan(0.02);
  });
});

describe('mapOf', () => {
  const SUBJECTS = {
    postgres: ['indexes', 'vacuum', 'replication', 'backup', 'tuning', 'locks'],
    kiln: ['glaze', 'stoneware', 'bisque', 'raku', 'cones', 'slip'],
  };
  const TREE = Object.fromEntries(
    Object.entries(SUBJECTS).flatMap(([subject, parts]) =>
      parts.map((part) => [
        `${subject}-${part}/SKILL.md`,
        skill(
          `${subject}-${part}`,
          `${subject} ${part}, the ${subject} way`,
          `# ${part}\n\n${subject} ${subject}\n`,
        ),
      ]),
    ),
  );

  /** With its ids put together, and places in units of the layout. */
  const drawn = async (reader: Parameters<typeof mapOf>[0]) => {
    const { shared, rests, places, themes, ...map } = await mapOf(reader, () => {});
    const ids: string[] = [];
    for (const [at, rest] of rests.entries()) ids.push((ids[at - 1] ?? '').slice(0, shared[at]) + rest);
    return {
      ...map,
      ids,
      places: Float32Array.from(places, (value) => value / 10_000),
      themes: themes.map(({ x, y, ...theme }) => ({ ...theme, x: x / 10_000, y: y / 10_000 })),
    };
  };

  it('has a place and a theme for each skill, by id, and names that its skills use', async () => {
    const { reader } = await testLibrary(TREE).library.current();
    const plane = await drawn(reader);
    expect(plane.ids).toEqual(
      Object.keys(TREE)
        .map((path) => path.replace('/SKILL.md', ''))
        .sort(),
    );
    expect(plane.places).toHaveLength(2 * plane.ids.length);
    expect(plane.themes.reduce((sum, { skills }) => sum + skills, 0)).toBe(12);
    for (const { typical } of plane.themes) expect(plane.ids).toContain(typical);
  });

  it('has the themes of the summary, where most of their skills lie', async () => {
    const { library, gateway } = await testLibrary(TREE);
    const { reader } = await library.current();
    const { themes, themeOf, places } = await drawn(reader);
    const summary = await gateway.summary();
    expect(themes.map(({ label, typical }) => [label, typical])).toEqual(
      summary.themes.map(({ label, samples }) => [label, samples[0]]),
    );
    themes.forEach(({ x, y, skills }, theme) => {
      const own = themeOf.flatMap((of, at) => (of === theme ? [at] : []));
      expect(skills).toBe(own.length);
      const xs = own.map((at) => places[2 * at]!);
      const ys = own.map((at) => places[2 * at + 1]!);
      expect(x).toBeGreaterThanOrEqual(Math.min(...xs) - 1e-3);
      expect(x).toBeLessThanOrEqual(Math.max(...xs) + 1e-3);
      expect(y).toBeGreaterThanOrEqual(Math.min(...ys) - 1e-3);
      expect(y).toBeLessThanOrEqual(Math.max(...ys) + 1e-3);
    });
  });

  it('lays copies next to the skill that they are copies of', async () => {
    const tree = { ...TREE, 'vendor/kiln-raku/SKILL.md': TREE['kiln-raku/SKILL.md']! };
    const { reader } = await testLibrary(tree).library.current();
    const { ids, places } = await drawn(reader);
    const [one, other] = [ids.indexOf('kiln-raku'), ids.indexOf('vendor/kiln-raku')];
    const apart = distance(places, one, other);
    expect(apart).toBeGreaterThan(0);
    expect(apart).toBeLessThan(0.01);
  });
});
