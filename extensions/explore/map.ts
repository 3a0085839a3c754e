/** The map of a catalog, as it is sent: each skill's point in the plane, the places, and what lists can be narrowed to. */

import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../../src/app/extension-api.ts';
import { mapSkills } from '../../src/catalog/skill-map.ts';
import { LANGUAGE_FACET } from '../../src/search/passages/languages.ts';
import type { SkillMap } from './api.ts';
import { findExamples } from './examples.ts';

/** Values of one kind that lists can be narrowed to, the most frequent ones. */
const VALUES = 12;
/** Units of the places in a map of width 2. */
const UNITS = 10_000;

/** `onProgress` gets 0–1. */
export async function computeMap(
  reader: Reader,
  onProgress: (share: number) => void,
): Promise<Omit<SkillMap, 'content'>> {
  const ordinals = Array.from(reader.ordinalsByKey());
  const vectors = await reader.openVectors();
  const { entries, points, places, placeOf } = await mapSkills(reader, ordinals, vectors, onProgress);
  const rounded = (value: number) => Math.round(value * UNITS);
  return {
    ids: entries.map(({ id }) => id),
    names: Object.fromEntries(
      entries.flatMap(({ id, name }, at) => (id.endsWith(`/${name}`) || id === name ? [] : [[at, name]])),
    ),
    points: Array.from(points, rounded),
    places: places.map(({ carriers: _, ...place }) => ({
      ...place,
      x: rounded(place.x),
      y: rounded(place.y),
    })),
    placeOf,
    facets: readFacets(reader, entries),
    examples: findExamples(entries),
  };
}

/** What lists can be narrowed to: positions of the skills by kind and value, the most frequent first. */
function readFacets(reader: Reader, entries: readonly CatalogEntry[]): SkillMap['facets'] {
  const languages = reader.facetCounts(LANGUAGE_FACET).map(({ value }) => value);
  const accepted = languages.map((value) => reader.accept([[LANGUAGE_FACET + value]]));
  const ordinals = reader.ordinalsByKey();
  const grouped = (valuesOf: (entry: CatalogEntry, at: number) => Iterable<string>) => {
    const groups = new Map<string, number[]>();
    entries.forEach((entry, at) => {
      for (const value of new Set(valuesOf(entry, at)))
        if (groups.get(value)?.push(at) === undefined) groups.set(value, [at]);
    });
    return [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, VALUES);
  };
  return {
    scripts: grouped(({ scripts }) => (scripts.length > 0 ? ['with scripts'] : [])),
    language: grouped((_, at) => languages.filter((_value, which) => accepted[which]![ordinals[at]!] === 1)),
    needs: grouped(({ needs = [] }) => needs),
  };
}
