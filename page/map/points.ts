/** The map as it is drawn, read from the columns of the answer: places at once, names and ids when one is wanted. */

import type { SkillMap } from '../../extensions/explore/api.ts';

/** Units of the answer's places. */
const UNITS = 10_000;

/** How often a skill was found and loaded, by position. */
export type Counts = ReadonlyMap<number, readonly [found: number, loaded: number]>;

export class Points {
  readonly #map: SkillMap;
  readonly size: number;
  /** x and y of each, about within −1…1. */
  readonly places: Float32Array<ArrayBuffer>;
  readonly themes: SkillMap['themes'];
  readonly suspicious: ReadonlySet<number>;
  #ids: readonly string[] | null = null;
  #positions: ReadonlyMap<string, number> | null = null;

  constructor(map: SkillMap) {
    const { places, themes, suspicious, rests } = map;
    this.#map = map;
    this.size = rests.length;
    this.places = new Float32Array(places.length);
    for (let at = 0; at < places.length; at += 1) this.places[at] = places[at]! / UNITS;
    this.themes = themes.map(({ x, y, ...theme }) => ({ ...theme, x: x / UNITS, y: y / UNITS }));
    this.suspicious = new Set(suspicious);
  }

  get content(): string {
    return this.#map.content;
  }

  get sources(): readonly string[] {
    return this.#map.sources;
  }

  /** Positions in `themes` and in `sources`. */
  get themeOf(): readonly number[] {
    return this.#map.themeOf;
  }

  get sourceOf(): readonly number[] {
    return this.#map.sourceOf;
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

  nameOf(at: number): string {
    const id = this.ids[at]!;
    return this.#map.names[at] ?? id.slice(id.lastIndexOf('/') + 1);
  }

  /** Of those among the ids that the map has. */
  positionsOf(ids: readonly string[]): readonly number[] {
    this.#positions ??= new Map(this.ids.map((id, at) => [id, at]));
    return ids.flatMap((id) => this.#positions?.get(id) ?? []);
  }
}
