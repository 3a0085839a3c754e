/** The map as it is drawn, read from the columns of the answer: points at once, names and ids when one is wanted. */

import type { Facet, Place, SkillMap } from '../../extensions/explore/api.ts';
import { lastPart, originIn } from '../parts.tsx';

/** Units of the answer's points. */
const UNITS = 10_000;

export class Points {
  readonly #map: SkillMap;
  readonly ids: readonly string[];
  readonly size: number;
  /** x and y of each, about within −1…1. */
  readonly places: Float32Array<ArrayBuffer>;
  /** By angle about the middle, so that neighbours look alike: `Uint8Array[n × 3]`. */
  readonly colours: Uint8Array<ArrayBuffer>;
  /** Where skills lie densely, the upper level first. */
  readonly regions: readonly Place[];
  /** What lists can be narrowed to: positions by kind and value, the most frequent value first. */
  readonly facets: Facets;
  /** Requests that some skills say they are for. */
  readonly examples: readonly string[];
  /** Names of places with how many skills they have, the largest first. */
  readonly names: readonly (readonly [label: string, skills: number])[];
  readonly #positions: ReadonlyMap<string, number>;

  constructor(map: SkillMap) {
    this.#map = map;
    this.ids = map.ids;
    this.size = map.ids.length;
    this.places = Float32Array.from(map.points, (value) => value / UNITS);
    this.colours = coloursAround(this.places);
    this.regions = map.places.map((place) => ({ ...place, x: place.x / UNITS, y: place.y / UNITS }));
    this.#positions = new Map(map.ids.map((id, at) => [id, at]));
    const origins = Map.groupBy(map.ids.keys(), (at) => originIn(map.ids[at]!));
    const asSets = (values: readonly (readonly [string, readonly number[]])[]) =>
      new Map(values.map(([value, skills]) => [value, new Set(skills)]));
    this.facets = {
      repository: asSets([...origins].sort(([, a], [, b]) => b.length - a.length)),
      scripts: asSets(map.facets.scripts),
      language: asSets(map.facets.language),
      needs: asSets(map.facets.needs),
    };
    this.names = this.#countNames();
    this.examples = map.examples;
  }

  nameOf(at: number): string {
    const id = this.ids[at]!;
    return this.#map.names[at] ?? lastPart(id);
  }

  positionOf(id: string): number | undefined {
    return this.#positions.get(id);
  }

  /** Skills of all places of this name, on both levels; those in the middle of the largest one first. */
  skillsIn(label: string): readonly number[] {
    const inside = Array.from(this.ids.keys()).filter((at) => this.#labelsOf(at).includes(label));
    return this.byDistance(inside, this.regions.find((place) => place.label === label) ?? { x: 0, y: 0 });
  }

  /** Names of a skill's places. */
  #labelsOf(at: number): readonly (string | null)[] {
    const { label, parent } = this.regions[this.#map.placeOf[at]!]!;
    return [label, parent === null ? null : this.regions[parent]!.label];
  }

  /** What is within a named place is part of that. */
  #countNames(): Points['names'] {
    const counts = new Map<string, number>();
    for (const { label, parent } of this.regions)
      if (label !== null && (parent === null || this.regions[parent]!.label === null)) counts.set(label, 0);
    for (const at of this.ids.keys())
      for (const label of new Set(this.#labelsOf(at)))
        if (label !== null && counts.has(label)) counts.set(label, counts.get(label)! + 1);
    return [...counts].sort(([, a], [, b]) => b - a);
  }

  byDistance(points: readonly number[], { x, y }: { x: number; y: number }): readonly number[] {
    const far = (at: number) => (this.places[2 * at]! - x) ** 2 + (this.places[2 * at + 1]! - y) ** 2;
    return points.toSorted((a, b) => far(a) - far(b));
  }
}

/** Before there is a map. */
export const NO_POINTS = new Points({
  content: '',
  ids: [],
  names: {},
  points: [],
  places: [],
  placeOf: [],
  facets: { scripts: [], language: [], needs: [] },
  examples: [],
});

export type FacetName = Facet | 'repository';
export type Facets = Readonly<Record<FacetName, ReadonlyMap<string, ReadonlySet<number>>>>;

function coloursAround(places: Float32Array): Uint8Array<ArrayBuffer> {
  const colours = new Uint8Array((3 * places.length) / 2);
  const palette = drawPalette();
  const count = Math.max(1, places.length / 2);
  const [x, y] = [0, 1].map(
    (side) => places.reduce((sum, value, at) => sum + (at % 2 === side ? value : 0), 0) / count,
  );
  for (let at = 0; at < places.length / 2; at += 1) {
    const angle = Math.atan2(places[2 * at + 1]! - y!, places[2 * at]! - x!);
    const hue = Math.floor((angle / Math.PI + 2) * 180 + 330) % 360;
    colours.set(palette.subarray(4 * hue, 4 * hue + 3), 3 * at);
  }
  return colours;
}

/** One pixel for each hue, equally strong to the eye. */
function drawPalette(): Uint8ClampedArray {
  const context = new OffscreenCanvas(360, 1).getContext('2d')!;
  for (let hue = 0; hue < 360; hue += 1) {
    context.fillStyle = `oklch(0.72 0.14 ${hue})`;
    context.fillRect(hue, 0, 1, 1);
  }
  return context.getImageData(0, 0, 360, 1).data;
}
