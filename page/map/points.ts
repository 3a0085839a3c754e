/** The map as it is drawn, read from the columns of the answer: points at once, names and ids when one is wanted. */

import type { Facet, Place, SkillMap } from '../../extensions/explore/api.ts';
import { originIn } from '../parts.tsx';

/** Units of the answer's points. */
const UNITS = 10_000;

export class Points {
  readonly #map: SkillMap;
  readonly size: number;
  /** x and y of each, about within −1…1. */
  readonly places: Float32Array<ArrayBuffer>;
  /** By angle about the middle, so that neighbours look alike: `Uint8Array[n × 3]`. */
  readonly colours: Uint8Array;
  /** Where skills lie densely, the upper level first. */
  readonly regions: readonly Place[];
  #ids: readonly string[] | null = null;
  #positions: ReadonlyMap<string, number> | null = null;
  #facets: Facets | null = null;

  constructor(map: SkillMap) {
    this.#map = map;
    this.size = map.rests.length;
    this.places = Float32Array.from(map.points, (value) => value / UNITS);
    this.colours = coloursAround(this.places);
    this.regions = map.places.map((place) => ({ ...place, x: place.x / UNITS, y: place.y / UNITS }));
  }

  get content(): string {
    return this.#map.content;
  }

  get ids(): readonly string[] {
    if (this.#ids !== null) return this.#ids;
    const { shared, rests } = this.#map;
    const ids: string[] = [];
    for (let at = 0; at < rests.length; at += 1)
      ids.push((ids[at - 1] ?? '').slice(0, shared[at]) + rests[at]);
    this.#ids = ids;
    return ids;
  }

  /** What lists can be narrowed to: positions by kind and value, the most frequent value first. */
  get facets(): Facets {
    if (this.#facets !== null) return this.#facets;
    const origins = new Map<string, number[]>();
    this.ids.forEach((id, at) => {
      const origin = originIn(id);
      const own = origins.get(origin);
      if (own === undefined) origins.set(origin, [at]);
      else own.push(at);
    });
    const { scripts, language, needs } = this.#map.facets;
    const repository = [...origins].sort(([, a], [, b]) => b.length - a.length);
    const asSets = (values: readonly (readonly [string, readonly number[]])[]) =>
      new Map(values.map(([value, skills]) => [value, new Set(skills)]));
    this.#facets = {
      repository: asSets(repository),
      scripts: asSets(scripts),
      language: asSets(language),
      needs: asSets(needs),
    };
    return this.#facets;
  }

  nameOf(at: number): string {
    const id = this.ids[at]!;
    return this.#map.names[at] ?? id.slice(id.lastIndexOf('/') + 1);
  }

  /** Of those among the ids that the map has. */
  positionsOf(ids: readonly string[]): readonly number[] {
    this.#positions ??= new Map(this.ids.map((id, at) => [id, at]));
    return ids.flatMap((id) => this.#positions?.get(id) ?? []);
  }

  /** Skills of a place of either level, those in its middle first. */
  skillsIn(place: number): readonly number[] {
    const { placeOf } = this.#map;
    const isUpper = this.regions[place]?.parent === null;
    const isInside = (at: number) =>
      placeOf[at] === place || (isUpper && this.regions[placeOf[at]!]?.parent === place);
    return this.byDistance(
      Array.from(placeOf.keys()).filter(isInside),
      this.regions[place] ?? { x: 0, y: 0 },
    );
  }

  byDistance(points: readonly number[], { x, y }: { x: number; y: number }): readonly number[] {
    const far = (at: number) => (this.places[2 * at]! - x) ** 2 + (this.places[2 * at + 1]! - y) ** 2;
    return points.toSorted((a, b) => far(a) - far(b));
  }
}

export type FacetName = Facet | 'repository';
export type Facets = Readonly<Record<FacetName, ReadonlyMap<string, ReadonlySet<number>>>>;

function coloursAround(places: Float32Array): Uint8Array {
  const colours = new Uint8Array((3 * places.length) / 2);
  const count = Math.max(1, places.length / 2);
  const [x, y] = [0, 1].map(
    (side) => places.reduce((sum, value, at) => sum + (at % 2 === side ? value : 0), 0) / count,
  );
  for (let at = 0; at < places.length / 2; at += 1) {
    const angle = Math.atan2(places[2 * at + 1]! - y!, places[2 * at]! - x!);
    colours.set(oklch(0.72, 0.14, (angle * 180) / Math.PI + 330), 3 * at);
  }
  return colours;
}

/** Equally strong to the eye for each hue. Björn Ottosson, https://bottosson.github.io/posts/oklab/. */
function oklch(lightness: number, chroma: number, hue: number): [number, number, number] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function channel(linear: number): number {
  const value = Math.max(0, Math.min(1, linear));
  const gamma = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(255 * gamma);
}
