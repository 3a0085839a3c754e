/** The map as it is drawn, read from the columns of the answer once. */

import type { SkillMap } from '../../extensions/explore/api.ts';

/** Units of the answer's places. */
const UNITS = 10_000;

export interface Points extends Pick<SkillMap, 'content' | 'themes' | 'themeOf' | 'sources' | 'sourceOf'> {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  /** x and y of each, about within −1…1. */
  readonly places: Float32Array<ArrayBuffer>;
  readonly suspicious: ReadonlySet<number>;
  /** Of the skills in the catalog that have such an id. */
  readonly positionsOf: (ids: readonly string[]) => readonly number[];
}

export function pointsOf({ shared, rests, names, places, themes, suspicious, ...map }: SkillMap): Points {
  const ids: string[] = [];
  for (const [at, rest] of rests.entries()) ids.push((ids[at - 1] ?? '').slice(0, shared[at]) + rest);
  let positions: ReadonlyMap<string, number> | null = null;
  return {
    ...map,
    ids,
    names: ids.map((id, at) => names[at] ?? id.slice(id.lastIndexOf('/') + 1)),
    places: Float32Array.from(places, (value) => value / UNITS),
    themes: themes.map(({ x, y, ...theme }) => ({ ...theme, x: x / UNITS, y: y / UNITS })),
    suspicious: new Set(suspicious),
    positionsOf(wanted) {
      // Made when something is looked for.
      positions ??= new Map(ids.map((id, at) => [id, at]));
      return wanted.flatMap((id) => positions?.get(id) ?? []);
    },
  };
}

/** How often a skill was found and loaded, by position. */
export type Counts = ReadonlyMap<number, readonly [found: number, loaded: number]>;
