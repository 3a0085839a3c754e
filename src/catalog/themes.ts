/**
 * The themes of a catalog, as `stats` and the instructions say them: the named places of its map. In a large catalog the map is
 * one of a sample, since that of all takes half a minute.
 */

import type { Reader } from '../../index/reader/reader.ts';
import { takeTurns } from '../base/timing.ts';
import { mapSkills } from './skill-map.ts';

export interface Theme {
  /** `salesforce`, `Rube MCP`. */
  readonly label: string;
  /** About how many skills it has. */
  readonly skills: number;
  /** Names of skills that carry the label; at least one. */
  readonly samples: readonly string[];
}

/** Sample names per theme. */
const SAMPLES = 3;
/** Skills that are mapped, evenly spaced over the ids: a second. */
const SAMPLE_SIZE = 1_200;

/** The largest first. Needs vectors that were read (`Reader.readVectors`). Deterministic. */
export async function themesIn(reader: Reader): Promise<{ themes: Theme[]; sampled?: number }> {
  const ordinals = reader.ordinalsByKey();
  const step = Math.max(1, ordinals.length / SAMPLE_SIZE);
  const sample: number[] = [];
  for (let at = 0; at < ordinals.length; at += step) sample.push(ordinals[Math.floor(at)]!);
  const vectors = await reader.vectorsForSearch();
  const { places, placeOf, entries } = await mapSkills(reader, sample, vectors, takeTurns());
  const themes = new Map<string, { skills: number; samples: Set<string> }>();
  for (const { label, parent, carriers } of places) {
    // A place within a named one is part of that theme.
    if (label === null || (parent !== null && places[parent]!.label !== null)) continue;
    const theme = themes.get(label) ?? { skills: 0, samples: new Set() };
    themes.set(label, theme);
    for (const carrier of carriers) theme.samples.add(entries[carrier]!.name);
  }
  // Of all places of a name, on both levels, as the page counts them.
  for (const at of placeOf) {
    const { label, parent } = places[at]!;
    for (const name of new Set([label, parent === null ? null : places[parent]!.label])) {
      const theme = themes.get(name ?? '');
      if (theme !== undefined) theme.skills += 1;
    }
  }
  const list = [...themes]
    .map(([label, { skills, samples }]) => ({
      label,
      skills: Math.round((skills * ordinals.length) / sample.length),
      samples: [...samples].slice(0, SAMPLES),
    }))
    .sort((a, b) => b.skills - a.skills || (a.label < b.label ? -1 : 1));
  return { themes: list, ...(sample.length < ordinals.length && { sampled: sample.length }) };
}
