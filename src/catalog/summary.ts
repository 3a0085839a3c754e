/**
 * A short summary of the catalog: counts, and themes found by clustering the skills' vectors. An agent reads it to decide
 * whether to search, so it names the large groups and gives real skill names.
 */

import { type Directory, readJson, writeJsonIfPossible } from '../../index/directory/directory.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { dot } from '../../index/vectors/dot.ts';
import { languagesOf, mainLanguages } from '../search/language.ts';
import { entryAt } from '../search/search.ts';
import { type Pinned, pinnedIn } from './pinned.ts';
import { nameTopics } from './topics.ts';

/** What the catalog holds, for instructions and `stats`. */
export interface CatalogSummary {
  readonly skills: number;
  readonly references: number;
  readonly sources: readonly { readonly name: string; readonly skills: number }[];
  /** The subjects of the skills: labels of the largest groups with sample names. Deterministic. */
  readonly themes: readonly {
    readonly label: string;
    readonly skills: number;
    readonly samples: readonly string[];
  }[];
  /**
   * The languages in which to write a query, ISO 639-1 codes, with the share of the skills in each in whole percent, so that
   * a few changed skills change nothing. Most skills first; empty where no language is known.
   */
  readonly languages: readonly { readonly language: string; readonly percent: number }[];
  /** The index generation that was summarised. */
  readonly generation: number;
  /** Absent where nothing is pinned. */
  readonly pinned?: Pinned | undefined;
}

/** A summary with the pins that it was made for. */
interface StoredSummary {
  readonly summary: CatalogSummary;
  readonly pins: readonly string[];
}

/** Most themes. */
const THEMES = 8;
/** Sample names per theme. */
const SAMPLES = 3;
/** Skills that are clustered, evenly spaced over the ids: more change the themes little and cost time. */
const SAMPLE_SIZE = 1_200;
/** Rounds of k-means: it converges earlier. */
const ROUNDS = 12;
/** Least mean size of a theme, skills. */
const MEAN_SIZE = 4;
/** Candidate seeds of a group, evenly spaced over the sample. */
const SEED_CANDIDATES = 300;
const FILE = 'summary.json';

type Theme = CatalogSummary['themes'][number];

export async function summarise(reader: Reader, pins?: readonly string[]): Promise<CatalogSummary> {
  reader.readVectors();
  const ordinals = reader.ordinalsByKey();
  const step = Math.max(1, ordinals.length / SAMPLE_SIZE);
  const sample: Sampled[] = [];
  for (let at = 0; at < ordinals.length; at += step) {
    const ordinal = ordinals[Math.floor(at)]!;
    const { name, description } = entryAt(reader, ordinal);
    sample.push({ name, description, vector: reader.documentVector(ordinal) });
  }
  return {
    skills: reader.documents,
    references: countReferences(reader, ordinals),
    sources: reader
      .facetCounts('source:')
      .map(({ value, documents }) => ({ name: value, skills: documents })),
    themes: themesOf(sample, ordinals.length),
    languages: mainLanguages(languagesOf(reader)).map(({ language, share }) => ({
      language,
      percent: Math.round(100 * share),
    })),
    generation: reader.manifest.generation,
    pinned: pinnedIn(reader, pins),
  };
}

/** The summary stored in the index folder, of any generation; null where there is none or it cannot be read. */
export function readSummary(directory: Directory): StoredSummary | null {
  // Written by `writeSummary`; anything else counts as missing.
  const stored = readJson(directory, FILE) as Partial<StoredSummary> | null | undefined;
  const { summary, pins } = stored ?? {};
  return summary === undefined || pins === undefined ? null : { summary, pins };
}

export const writeSummary = (directory: Directory, stored: StoredSummary): void =>
  writeJsonIfPossible(directory, FILE, stored);

function countReferences(reader: Reader, ordinals: Uint32Array): number {
  let count = 0;
  for (const ordinal of ordinals) count += reader.passages.referenceCount(ordinal) > 0 ? 1 : 0;
  return count;
}

interface Sampled {
  readonly name: string;
  readonly description: string;
  readonly vector: Float32Array;
}

function themesOf(sample: readonly Sampled[], total: number): Theme[] {
  const vectors = centred(sample.map(({ vector }) => vector));
  const groups = cluster(vectors, Math.min(THEMES, Math.ceil(sample.length / MEAN_SIZE)));
  const bySize = groups.toSorted((a, b) => b.length - a.length || a[0]! - b[0]!);
  const topics = nameTopics(bySize.map((members) => members.map((member) => sample[member]!)));
  return bySize.flatMap((members, at) => {
    const topic = topics[at];
    if (topic === null || topic === undefined) return [];
    const samples = [...new Set(members.map((member) => sample[member]!.name))].slice(0, SAMPLES);
    const skills = Math.round((members.length * total) / sample.length);
    return { label: topic.label, skills, samples };
  });
}

/** The vectors minus their mean, of unit length: what all skills share does not separate groups. */
function centred(vectors: readonly Float32Array[]): Float32Array[] {
  const total = sum(vectors);
  return vectors.map((vector) =>
    unit(vector.map((value, at) => value - total[at]! / Math.max(1, vectors.length))),
  );
}

/**
 * Spherical k-means, seeded greedily: each seed is the vector that brings all vectors nearest to their seeds. That is
 * deterministic, and prefers dense regions to outliers. Returns the positions of each group's members, nearest to its
 * centre first. Not ml-kmeans: the cohesion of its groups varies with the random seed, above and below these, and it brings
 * a matrix library.
 */
function cluster(vectors: readonly Float32Array[], k: number): number[][] {
  const centres = seeds(vectors, k);
  let groups: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    groups = centres.map(() => []);
    vectors.forEach((vector, at) => {
      const scores = centres.map((centre) => dot(vector, centre));
      groups[scores.indexOf(Math.max(...scores))]!.push(at);
    });
    groups.forEach((members, group) => {
      if (members.length > 0) centres[group] = unit(sum(members.map((member) => vectors[member]!)));
    });
  }
  return groups
    .map((members, group) =>
      members.toSorted(
        (a, b) => dot(vectors[b]!, centres[group]!) - dot(vectors[a]!, centres[group]!) || a - b,
      ),
    )
    .filter((members) => members.length > 0);
}

function seeds(vectors: readonly Float32Array[], k: number): Float32Array[] {
  const step = Math.max(1, Math.ceil(vectors.length / SEED_CANDIDATES));
  const candidates = vectors.filter((_, at) => at % step === 0);
  const similarities = candidates.map((candidate) => vectors.map((vector) => dot(candidate, vector)));
  let nearness = vectors.map(() => 0);
  return Array.from({ length: Math.min(k, candidates.length) }, () => {
    const gains = similarities.map((row) =>
      row.reduce((gain, similarity, at) => gain + Math.max(0, similarity - nearness[at]!), 0),
    );
    const best = gains.indexOf(Math.max(...gains));
    nearness = nearness.map((near, at) => Math.max(near, similarities[best]![at]!));
    return candidates[best]!;
  });
}

function sum(vectors: readonly Float32Array[]): Float32Array {
  const total = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    vector.forEach((value, at) => {
      total[at]! += value;
    });
  return total;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}
