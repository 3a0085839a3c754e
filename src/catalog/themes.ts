/** The themes of a catalog: its skills grouped by meaning, each group with a name. `stats`, the page's start and its map show the same ones. */

import type { Reader } from '../../index/reader/reader.ts';
import { entryAt } from '../search/search.ts';
import { clustersOf } from './clusters.ts';
import { nameTopics } from './topics.ts';

export interface Theme {
  /** `Kubernetes, Helm and cloud deployment`; names of two skills where no words are typical. */
  readonly label: string;
  /** About how many skills it has. */
  readonly skills: number;
  /** Names of skills, the most typical first; at least one. */
  readonly samples: readonly string[];
}

interface Themes {
  /** The largest first. */
  readonly themes: readonly Theme[];
  /** Number of the theme that a skill with this vector belongs to. */
  themeOf(vector: Float32Array): number;
}

/** Most themes: with more, a map has no room for their names, and fewer put together what does not belong together. */
const THEMES = 16;
/** Sample names per theme. */
const SAMPLES = 3;
/** Skills that are grouped, evenly spaced over the ids: more change the themes little and cost time. */
const SAMPLE_SIZE = 1_200;
/** Least mean size of a theme, skills. */
const MEAN_SIZE = 4;
/** Skills that name a theme without typical words. */
const NAMED_BY = 2;

/** Needs vectors that were read (`Reader.readVectors`). Deterministic. */
export function themesIn(reader: Reader): Themes {
  const ordinals = reader.ordinalsByKey();
  const step = Math.max(1, ordinals.length / SAMPLE_SIZE);
  const sample: number[] = [];
  for (let at = 0; at < ordinals.length; at += step) sample.push(ordinals[Math.floor(at)]!);
  const entries = sample.map((ordinal) => entryAt(reader, ordinal));
  const vectors = sample.map((ordinal) => reader.documentVector(ordinal));
  const clusters = clustersOf(vectors, Math.min(THEMES, Math.ceil(sample.length / MEAN_SIZE)));
  const groups = clusters.groups.map((members) => members.map((member) => entries[member]!));
  const topics = nameTopics(groups);
  const themes = groups.map((group, at) => {
    const names = group.map(({ name }) => name);
    const topic = topics[at];
    const samples = new Set(topic == null ? names : [names[topic.typical]!, ...names]);
    return {
      label: topic?.label ?? [...new Set(names)].slice(0, NAMED_BY).join(', '),
      skills: Math.round((group.length * ordinals.length) / sample.length),
      samples: [...samples].slice(0, SAMPLES),
    };
  });
  return { themes, themeOf: (vector) => clusters.nearest(vector) };
}
