/**
 * A short summary of the catalog: counts, and themes found by clustering the skills' vectors. An agent reads it to decide
 * whether to search, so it names the large groups and gives real skill names.
 */

import { type Directory, IndexError, type Reader, readWhole, writeWhole } from '#index';
import { entryAt, languagesOf, mainLanguages } from '../search/public.ts';

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
/** Weight of a word of the description relative to one of the name, and characters of it that are read. */
const DESCRIPTION_WEIGHT = 0.3;
const DESCRIPTION_CHARACTERS = 400;
/** Words that cannot label a theme, in addition to those of one or two letters. */
const EMPTY_WORDS = new Set(
  `a about after agent agents all also an and any apply are as asks at based be before best build building but by can
  common complete comprehensive covers create creating developer do does each ensure expert following for from get
  guide guidance guidelines has have help helper helps how if implement implementing in including into is it its like
  make manage managing master more need needs new not of on one or other our out over patterns practices pro provide
  provides ready senior should skill skills so specialist specific such support task tasks that the their them then
  these they this those through to tool tools trigger triggers up usage use used user users uses using via want wants
  what when whenever where whether which while who will with within without work working workflow workflows writing
  you your`.split(/\s+/),
);

const FILE = 'summary.json';

type Theme = CatalogSummary['themes'][number];

export async function summarise(reader: Reader): Promise<CatalogSummary> {
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
  };
}

/** The summary stored in the index folder, of any generation; null where there is none or it cannot be read. */
export function readSummary(directory: Directory): CatalogSummary | null {
  try {
    // Written by `writeSummary`; anything that is not JSON counts as missing.
    return JSON.parse(new TextDecoder().decode(readWhole(directory, FILE))) as CatalogSummary;
  } catch (error) {
    if (error instanceof IndexError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Stores a summary. A full or read-only disk only costs time at the next start. */
export function writeSummary(directory: Directory, summary: CatalogSummary): void {
  try {
    writeWhole(directory, FILE, new TextEncoder().encode(JSON.stringify(summary)));
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
  }
}

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
  const words = sample.map(wordsOf);
  const overall = wordShares(words);
  const used = new Set<string>();
  return groups
    .toSorted((a, b) => b.length - a.length || a[0]! - b[0]!)
    .flatMap((members) => {
      const label = labelOf(
        members.map((member) => words[member]!),
        overall,
        used,
      );
      if (label === null) return [];
      const samples = [...new Set(members.map((member) => sample[member]!.name))].slice(0, SAMPLES);
      return { label, skills: Math.round((members.length * total) / sample.length), samples };
    });
}

/** Words of a skill with their weights. A description has many words that do not name the skill's subject. */
function wordsOf({ name, description }: Sampled): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of text.toLowerCase().match(/\p{L}[\p{L}\p{N}]{2,}/gu) ?? [])
      if (!EMPTY_WORDS.has(word)) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  };
  add(name, 1);
  add(description.slice(0, DESCRIPTION_CHARACTERS), DESCRIPTION_WEIGHT);
  return weights;
}

/**
 * Up to two words that are most typical of the group relative to all skills. Words of a single skill do not count. Null
 * where no word is typical.
 */
function labelOf(
  group: readonly ReadonlyMap<string, number>[],
  overall: ReadonlyMap<string, number>,
  used: Set<string>,
): string | null {
  const users = new Map<string, number>();
  for (const words of group) for (const word of words.keys()) users.set(word, (users.get(word) ?? 0) + 1);
  const ranked = [...wordShares(group)]
    .filter(([word]) => (users.get(word) ?? 0) > 1 && ![...used].some((other) => sameStem(other, word)))
    .map(([word, share]) => ({ word, lead: share * Math.log(share / (overall.get(word) ?? share)) }))
    .filter(({ lead }) => lead > 0)
    .sort((a, b) => b.lead - a.lead || (a.word < b.word ? -1 : 1));
  const first = ranked[0]?.word;
  if (first === undefined) return null;
  const second = ranked.find(({ word }) => !sameStem(first, word))?.word;
  const own = second === undefined ? [first] : [first, second];
  for (const word of own) used.add(word);
  return own.join(', ');
}

/** True for `query` and `queries`, `deploy` and `deployment`. */
function sameStem(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, Math.max(4, length - 1)) === b.slice(0, Math.max(4, length - 1));
}

/** Mean weight of each word. */
function wordShares(skills: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const shares = new Map<string, number>();
  for (const words of skills)
    for (const [word, weight] of words) shares.set(word, (shares.get(word) ?? 0) + weight / skills.length);
  return shares;
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

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}
