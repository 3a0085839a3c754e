/** The map of a catalog: each skill's place in the plane, and where the themes of the catalog are. */

import type { Reader } from '../../index/reader/reader.ts';
import { themesIn } from '../../src/catalog/themes.ts';
import { entryAt } from '../../src/search/search.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';
import type { SkillMap } from './api.ts';
import { layout, NEIGHBOURS, type Neighbours } from './layout.ts';

/** Share of the time that finding neighbours takes. */
const FINDING = 0.4;
/** How far copies lie from each other, in a map of width 2. */
const APART = 0.004;
/** Half the width of what counts as one place of a theme, whose skills may lie in several. */
const PLACE = 0.2;
/** Neighbours found between two reports. */
const REPORT_EVERY = 200;

/** Units of the places in a map of width 2. */
const UNITS = 10_000;

/** Needs vectors; without a model all skills would lie in one place. Deterministic. `onProgress` gets 0–1. */
export async function mapOf(
  reader: Reader,
  onProgress: (share: number) => void,
): Promise<Omit<SkillMap, 'content'>> {
  const ordinals = reader.ordinalsByKey();
  const entries = Array.from(ordinals, (ordinal) => entryAt(reader, ordinal));
  const { first, standsFor } = withoutCopies(entries);
  const shown = first.map((at) => ordinals[at]!);
  const vectors = await vectorsOf(reader, shown);
  const neighbours = await neighboursOf(reader, shown, vectors, (share) => onProgress(FINDING * share));
  const own = layout(vectors, neighbours, (share) => onProgress(FINDING + (1 - FINDING) * share));
  const places = new Float32Array(2 * entries.length);
  const copies = new Map<number, number>();
  standsFor.forEach((place, at) => {
    const number = copies.get(place) ?? 0;
    copies.set(place, number + 1);
    const [x, y] = spiral(number);
    places[2 * at] = own[2 * place]! + x;
    places[2 * at + 1] = own[2 * place + 1]! + y;
  });
  const sources = [...new Set(entries.map(({ source }) => source))].sort();
  return {
    ...idColumns(entries.map(({ id }) => id)),
    names: Object.fromEntries(
      entries.flatMap(({ id, name }, at) => (id.endsWith(`/${name}`) || id === name ? [] : [[at, name]])),
    ),
    places: Array.from(places, rounded),
    sources,
    sourceOf: entries.map(({ source }) => sources.indexOf(source)),
    suspicious: entries.flatMap(({ marks = [] }, at) => (marks.length > 0 ? [at] : [])),
    ...themesOf(reader, ordinals, places),
  };
}

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

async function vectorsOf(reader: Reader, ordinals: readonly number[]): Promise<Float32Array[]> {
  await reader.openVectors();
  return ordinals.map((ordinal) => reader.documentVector(ordinal));
}

async function neighboursOf(
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
    const found = index.nearest(vector, width + 1, accept);
    let next = at * width;
    for (let rank = 0; rank < found.ordinals.length && next < (at + 1) * width; rank += 1) {
      const place = placeOf.get(found.ordinals[rank]!)!;
      if (place === at) continue;
      points[next] = place;
      distances[next] = Math.max(0, 1 - found.scores[rank]!);
      next += 1;
    }
    if (at % REPORT_EVERY === 0) onProgress(at / ordinals.length);
  }
  return { width, points, distances };
}

function themesOf(
  reader: Reader,
  ordinals: Uint32Array,
  places: Float32Array,
): Pick<SkillMap, 'themeOf' | 'themes'> {
  const found = themesIn(reader);
  const themeOf = Array.from(ordinals, (ordinal) => found.themeOf(reader.documentVector(ordinal)));
  const members = found.themes.map((): number[] => []);
  themeOf.forEach((theme, at) => {
    members[theme]!.push(at);
  });
  const themes = found.themes.map(({ label, samples }, theme) => {
    const [x, y] = middle(places, members[theme]!);
    return { label, typical: samples[0]!, skills: members[theme]!.length, x: rounded(x), y: rounded(y) };
  });
  return { themeOf, themes };
}

/** Where most of the points are: their median, moved to the mean of those around it until it stays. */
function middle(places: Float32Array, points: readonly number[]): readonly [x: number, y: number] {
  const along = (side: number, some: readonly number[]) => some.map((at) => places[2 * at + side]!);
  const [xs, ys] = [0, 1].map((side) => along(side, points).sort((a, b) => a - b));
  const half = Math.floor(points.length / 2);
  let [x, y] = [xs![half] ?? 0, ys![half] ?? 0];
  for (let round = 0; round < 8; round += 1) {
    const near = points.filter((at) => Math.hypot(places[2 * at]! - x, places[2 * at + 1]! - y) < PLACE);
    if (near.length === 0) break;
    [x, y] = [0, 1].map((side) => mean(along(side, near))) as [number, number];
  }
  return [x, y];
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The n-th place of copies around the first, in a sunflower's order, so that none hides another. */
function spiral(number: number): readonly [x: number, y: number] {
  const angle = number * 2.399963;
  const radius = APART * Math.sqrt(number);
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

const rounded = (value: number) => Math.round(value * UNITS);
