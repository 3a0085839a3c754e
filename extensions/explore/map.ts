/** The map of a catalog: each skill's point in the plane, and the places where they lie densely. */

import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../../src/app/extension-api.ts';
import { LANGUAGE_FACET } from '../../src/search/passages/languages.ts';
import { entryAt } from '../../src/search/search.ts';
import type { SkillMap } from './api.ts';
import { layout, NEIGHBOURS, type Neighbours } from './layout.ts';
import { findPlaces } from './places.ts';

/** Share of the time that finding neighbours takes. */
const FINDING = 0.4;
/** How far copies lie from each other, in a map of width 2. */
const APART = 0.004;
/** Values of one kind that lists can be narrowed to, the most frequent ones. */
const VALUES = 12;
/**
 * Of a skill's neighbours, so many may be its near-copies, at this cosine: copies that fill each other's rows would drift away
 * from what they are about. The others are looked for among so many.
 */
const MAX_COPIES = 4;
const NEAR_COPY = 0.85;
const LOOKED_AT = 48;
/** Neighbours found between two reports. */
const REPORT_EVERY = 200;

/** Units of the places in a map of width 2. */
const UNITS = 10_000;

/** Needs vectors; without a model all skills would lie in one place. Deterministic. `onProgress` gets 0–1. */
export async function computeMap(
  reader: Reader,
  onProgress: (share: number) => void,
): Promise<Omit<SkillMap, 'content'>> {
  return describe(reader, await layOutSkills(reader, onProgress));
}

/** x and y of each skill, in order of id. */
async function layOutSkills(reader: Reader, onProgress: (share: number) => void): Promise<Float32Array> {
  const ordinals = reader.ordinalsByKey();
  const { first, standsFor } = withoutCopies(entriesIn(reader));
  const shown = first.map((at) => ordinals[at]!);
  const vectors = await readVectors(reader, shown);
  const neighbours = await findNeighbours(reader, shown, vectors, (share) => onProgress(FINDING * share));
  const own = layout(vectors, neighbours, (share) => onProgress(FINDING + (1 - FINDING) * share));
  const points = new Float32Array(2 * standsFor.length);
  const copies = new Map<number, number>();
  standsFor.forEach((place, at) => {
    const number = copies.get(place) ?? 0;
    copies.set(place, number + 1);
    const [x, y] = spiral(number);
    points[2 * at] = own[2 * place]! + x;
    points[2 * at + 1] = own[2 * place + 1]! + y;
  });
  return points;
}

/** What lies at the points, and what it is called. */
function describe(reader: Reader, points: Float32Array): Omit<SkillMap, 'content'> {
  const entries = entriesIn(reader);
  const { places, placeOf } = findPlaces(points, entries);
  return {
    ...idColumns(entries.map(({ id }) => id)),
    names: Object.fromEntries(
      entries.flatMap(({ id, name }, at) => (id.endsWith(`/${name}`) || id === name ? [] : [[at, name]])),
    ),
    points: Array.from(points, rounded),
    places: places.map((place) => ({ ...place, x: rounded(place.x), y: rounded(place.y) })),
    placeOf,
    facets: readFacets(reader, entries),
  };
}

const entriesIn = (reader: Reader) =>
  Array.from(reader.ordinalsByKey(), (ordinal) => entryAt(reader, ordinal));

/** Each id without what it shares with the one before. */
function idColumns(ids: readonly string[]): Pick<SkillMap, 'shared' | 'rests'> {
  const shared = ids.map((id, at) => {
    const before = ids[at - 1] ?? '';
    let same = 0;
    while (same < id.length && id[same] === before[same]) same += 1;
    return same;
  });
  return { shared, rests: ids.map((id, at) => id.slice(shared[at])) };
}

/** One of several skills with the same name and description: copies would be each other's only neighbours. */
function withoutCopies(entries: readonly CatalogEntry[]) {
  const known = new Map<string, number>();
  const first: number[] = [];
  const standsFor = entries.map(({ name, description }, at) => {
    const card = `${name}\n${description}`;
    const place = known.get(card) ?? first.push(at) - 1;
    known.set(card, place);
    return place;
  });
  return { first, standsFor };
}

async function readVectors(reader: Reader, ordinals: readonly number[]): Promise<Float32Array[]> {
  await reader.openVectors();
  return ordinals.map((ordinal) => reader.documentVector(ordinal));
}

async function findNeighbours(
  reader: Reader,
  ordinals: readonly number[],
  vectors: readonly Float32Array[],
  onProgress: (share: number) => void,
): Promise<Neighbours> {
  const index = await reader.openVectors();
  const accept = new Uint8Array(reader.accept([]).length);
  const placeOf = new Map<number, number>();
  ordinals.forEach((ordinal, at) => {
    accept[ordinal] = 1;
    placeOf.set(ordinal, at);
  });
  const width = Math.max(0, Math.min(NEIGHBOURS, ordinals.length - 1));
  const points = new Uint32Array(ordinals.length * width);
  const distances = new Float32Array(ordinals.length * width);
  for (const [at, vector] of vectors.entries()) {
    const { ordinals: near, scores } = index.nearest(vector, LOOKED_AT + 1, accept);
    const others = Array.from(near, (ordinal, rank) => ({
      at: placeOf.get(ordinal)!,
      score: scores[rank]!,
    })).filter((other) => other.at !== at);
    const copies = others.filter(({ score }) => score >= NEAR_COPY);
    const rest = others.slice(copies.length);
    // Where there are too few others, copies fill the row.
    const from = Math.max(Math.min(MAX_COPIES, copies.length), width - rest.length);
    const row = [...copies.slice(0, from), ...rest].slice(0, width);
    points.set(
      row.map((other) => other.at),
      at * width,
    );
    distances.set(
      row.map(({ score }) => Math.max(0, 1 - score)),
      at * width,
    );
    if (at % REPORT_EVERY === 0) onProgress(at / ordinals.length);
  }
  return { width, points, distances };
}

/** What lists can be narrowed to: positions of the skills by kind and value. */
function readFacets(reader: Reader, entries: readonly CatalogEntry[]): SkillMap['facets'] {
  const ordinals = reader.ordinalsByKey();
  const having = (ordinalsWith: Uint8Array) =>
    Array.from(ordinals.keys()).filter((at) => ordinalsWith[ordinals[at]!] === 1);
  const needs = new Map<string, number[]>();
  entries.forEach((entry, at) => {
    for (const need of new Set(entry.needs)) needs.set(need, [...(needs.get(need) ?? []), at]);
  });
  const byFrequency = (values: readonly (readonly [string, number[]])[]) =>
    values
      .filter(([, skills]) => skills.length > 0)
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, VALUES);
  return {
    scripts: byFrequency([
      ['with scripts', entries.flatMap(({ scripts }, at) => (scripts.length > 0 ? [at] : []))],
    ]),
    language: byFrequency(
      reader
        .facetCounts(LANGUAGE_FACET)
        .map(({ value }) => [value, having(reader.accept([[LANGUAGE_FACET + value]]))] as const),
    ),
    needs: byFrequency([...needs]),
  };
}

/** The n-th place of copies around the first, in a sunflower's order, so that none hides another. */
function spiral(number: number): readonly [x: number, y: number] {
  const angle = number * 2.399963;
  const radius = APART * Math.sqrt(number);
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

const rounded = (value: number) => Math.round(value * UNITS);
