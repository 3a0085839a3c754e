import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../index/numbers.ts';
import { MIN_CARRIED, nameGroups } from '../../../../src/catalog/places/names.ts';
import { findPlaces } from '../../../../src/catalog/places/places.ts';

/** `size` skills of each subject, around its own point of the plane. */
function blobs(subjects: readonly (readonly [subject: string, x: number, y: number])[], size: number) {
  const random = seeded(1);
  const all = subjects.flatMap(([subject, x, y]) =>
    Array.from({ length: size }, (_, at) => ({
      x: x + 0.05 * (random() - 0.5),
      y: y + 0.05 * (random() - 0.5),
      skill: {
        id: `shop/${subject}-${at}`,
        name: `${subject}-${'abcdefghij'[at % 10]}`,
        description: `About ${subject}.`,
      },
    })),
  );
  return {
    points: Float32Array.from(all.flatMap(({ x, y }) => [x, y])),
    skills: all.map(({ skill }) => skill),
  };
}

const SUBJECTS = [
  ['kiln', -0.8, -0.8],
  ['payroll', 0.8, 0.8],
  ['postgres', 0.8, -0.8],
  ['sailing', 0, 0],
] as const;

describe('findPlaces', () => {
  it('finds each dense place, names it, and puts the name on one of its skills', () => {
    const { points, skills } = blobs(SUBJECTS, 30);
    const { places, placeOf } = findPlaces(points, skills);
    const upper = places.filter(({ parent }) => parent === null);
    expect(upper.map(({ label }) => label).sort()).toEqual(['kiln', 'payroll', 'postgres', 'sailing']);
    for (const { label, x, y } of upper) {
      const at = skills.findIndex((_, point) => points[2 * point] === x && points[2 * point + 1] === y);
      expect(skills[at]?.name).toContain(label);
    }
    expect(placeOf).toHaveLength(120);
  });

  it('nests the lower level in the upper one, and counts each skill once on each', () => {
    const { points, skills } = blobs(SUBJECTS, 30);
    const { places, placeOf } = findPlaces(points, skills);
    for (const level of [true, false])
      expect(
        places
          .filter(({ parent }) => (parent === null) === level)
          .reduce((sum, place) => sum + place.skills, 0),
      ).toBe(120);
    places.forEach((place, at) => {
      if (place.parent === null) return;
      expect(places[place.parent]?.parent).toBeNull();
      expect(placeOf.filter((of) => of === at)).toHaveLength(place.skills);
    });
  });

  it('says a name only where 30 % of what lies under it carry it', () => {
    const { points, skills } = blobs(SUBJECTS, 30);
    // Three of four skills of one place are about something else each.
    const mixed = skills.map((skill, at) =>
      skill.name.startsWith('kiln') && at % 4 > 0
        ? { ...skill, name: `${'qrstuvwxyz'[at % 10]}${at}`, description: '' }
        : skill,
    );
    const { places, placeOf } = findPlaces(points, mixed);
    expect(places.some(({ label }) => label === 'kiln')).toBe(false);
    const lower = places.flatMap((place, at) => (place.parent === null ? [] : [{ place, at }]));
    const members = lower.map(({ at }) => placeOf.flatMap((of, skill) => (of === at ? [skill] : [])));
    nameGroups(mixed, members).forEach((name, at) => {
      expect(lower[at]!.place.label).toBe(name?.label ?? null);
      if (name !== null)
        expect(name.carriers.length).toBeGreaterThanOrEqual(MIN_CARRIED * members[at]!.length);
    });
  });

  it('has no place without a skill, and one for copies in one point', () => {
    expect(findPlaces(new Float32Array(), [])).toEqual({ places: [], placeOf: [] });
    const { skills } = blobs([['kiln', 0, 0]], 5);
    expect(findPlaces(new Float32Array(10), skills).placeOf).toHaveLength(5);
  });
});
