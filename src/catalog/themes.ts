/**
 * The themes of a catalog: its skills grouped by meaning, each group with a name that is true of it. `stats` and the instructions
 * say them. The page's map names places by the same rule (`names.ts`); it needs a layout, which takes too long here.
 */

import type { Reader } from '../../index/reader/reader.ts';
import { entryAt } from '../search/search.ts';
import { findClusters } from './clusters.ts';
import { nameGroups } from './names.ts';

export interface Theme {
  /** `salesforce`, `Rube MCP`. */
  readonly label: string;
  /** About how many skills it has. */
  readonly skills: number;
  /** Names of skills that carry the label, the most typical first; at least one. */
  readonly samples: readonly string[];
}

/** Groups: with fewer, what is put together has no word in common. */
const GROUPS = 48;
/** Sample names per theme. */
const SAMPLES = 3;
/** Skills that are grouped, evenly spaced over the ids: more change the themes little and cost time. */
const SAMPLE_SIZE = 1_200;
/** Least mean size of a group, skills. */
const MEAN_SIZE = 4;

/** The largest first; groups without a name are left out. Needs vectors that were read (`Reader.readVectors`). Deterministic. */
export async function themesIn(reader: Reader): Promise<Theme[]> {
  const ordinals = reader.ordinalsByKey();
  const step = Math.max(1, ordinals.length / SAMPLE_SIZE);
  const sample: number[] = [];
  for (let at = 0; at < ordinals.length; at += step) sample.push(ordinals[Math.floor(at)]!);
  const entries = sample.map((ordinal) => entryAt(reader, ordinal));
  const vectors = sample.map((ordinal) => reader.documentVector(ordinal));
  const groups = await findClusters(vectors, Math.min(GROUPS, Math.ceil(sample.length / MEAN_SIZE)));
  const themes = new Map<string, { skills: number; samples: string[] }>();
  nameGroups(entries, groups).forEach((name, at) => {
    if (name === null) return;
    const group = groups[at]!;
    const theme = themes.get(name.label) ?? { skills: 0, samples: [] };
    theme.skills += group.length;
    theme.samples.push(...name.carriers.map((carrier) => entries[group[carrier]!]!.name));
    themes.set(name.label, theme);
  });
  return [...themes]
    .map(([label, { skills, samples }]) => ({
      label,
      skills: Math.round((skills * ordinals.length) / sample.length),
      samples: [...new Set(samples)].slice(0, SAMPLES),
    }))
    .sort((a, b) => b.skills - a.skills || (a.label < b.label ? -1 : 1));
}
