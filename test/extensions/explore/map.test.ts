import { describe, expect, it } from 'vitest';
import { computeMap } from '../../../extensions/explore/map.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

const distance = (places: Float32Array, a: number, b: number) =>
  Math.hypot(places[2 * a]! - places[2 * b]!, places[2 * a + 1]! - places[2 * b + 1]!);

describe('computeMap', () => {
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

  /** With points in units of the layout. */
  const drawn = async (reader: Parameters<typeof computeMap>[0]) => {
    const { points, ...map } = await computeMap(reader, () => {});
    return { ...map, points: Float32Array.from(points, (value) => value / 10_000) };
  };

  it('has a point and a place for each skill, by id, and what lists can be narrowed to', async () => {
    const { reader } = await testLibrary({
      ...TREE,
      'kiln-slip/scripts/mix.sh': 'echo mix\n',
    }).library.current();
    const { ids, points, places, placeOf, facets } = await drawn(reader);
    expect(ids).toEqual(
      Object.keys(TREE)
        .map((path) => path.replace('/SKILL.md', ''))
        .sort(),
    );
    expect(points).toHaveLength(2 * ids.length);
    expect(
      placeOf.map((place) => places[place]?.parent).every((parent) => places[parent!] !== undefined),
    ).toBe(true);
    expect(facets.scripts).toEqual([['with scripts', [ids.indexOf('kiln-slip')]]]);
  });

  it('lays copies next to the skill that they are copies of', async () => {
    const tree = { ...TREE, 'vendor/kiln-raku/SKILL.md': TREE['kiln-raku/SKILL.md']! };
    const { reader } = await testLibrary(tree).library.current();
    const { ids, points: places } = await drawn(reader);
    const [one, other] = [ids.indexOf('kiln-raku'), ids.indexOf('vendor/kiln-raku')];
    const apart = distance(places, one, other);
    expect(apart).toBeGreaterThan(0);
    expect(apart).toBeLessThan(0.01);
  });
});
