/**
 * Which candidates count as one skill, which of them is shown, and where the others are. Skills are identical if
 * their digests are equal; the digest covers the paths and contents of all their files.
 */

import type { Reader } from '../../index/reader/reader.ts';
import type { Fingerprints } from '../../index/segment/fingerprint.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { TWIN_SIMILARITY } from './collapse.ts';
import { languagesOf } from './language.ts';
import { LANGUAGE_FACET } from './passages/languages.ts';
import { areTranslations, type Path, pathOf } from './translations.ts';

/** A skill that is identical to another one. */
export interface Copy {
  readonly id: string;
  readonly source: string;
}

/** Rank of each source by name, from 0. A source that is not named comes last. */
export type Precedence = ReadonlyMap<string, number>;

export interface Copies {
  /** The candidate to show. */
  readonly leader: number;
  /** Candidates identical to it, in the order of their sources. */
  readonly copies: readonly number[];
  /** The other candidates of the group, in their order. */
  readonly twins: readonly number[];
}

/** Scores of the same text differ by less than this, whatever segment it is in: 1/50 of the score range. */
const SAME_SCORE = 0.02;

/** Decides which candidates are identical. Reads an entry only if the fingerprints are equal and the scores nearly so. */
class IdenticalSkills {
  readonly #prints: Fingerprints;
  readonly #scores: Float32Array;
  readonly #read: (candidate: number) => CatalogEntry;
  readonly #entries = new Map<number, CatalogEntry>();

  constructor(prints: Fingerprints, scores: Float32Array, read: (candidate: number) => CatalogEntry) {
    this.#prints = prints;
    this.#scores = scores;
    this.#read = read;
  }

  areIdentical(a: number, b: number): boolean {
    if (!(Math.abs(this.#scores[a]! - this.#scores[b]!) <= SAME_SCORE)) return false;
    return this.#prints.areEqual(a, b) && this.entry(a).digest === this.entry(b).digest;
  }

  entry(candidate: number): CatalogEntry {
    const known = this.#entries.get(candidate);
    if (known !== undefined) return known;
    const entry = this.#read(candidate);
    this.#entries.set(candidate, entry);
    return entry;
  }
}

/** Which candidates count as one skill. Arguments are positions of candidates. */
interface Similarity {
  /** Near-identical or identical. */
  readonly areTwins: (a: number, b: number) => boolean;
  readonly areTranslations: (a: number, b: number) => boolean;
  readonly identical: IdenticalSkills;
}

export function similarityOf(reader: Reader, ordinals: Uint32Array, scores: Float32Array): Similarity {
  const prints = reader.fingerprints(ordinals);
  const identical = new IdenticalSkills(
    prints,
    scores,
    (at) => reader.payload(ordinals[at]!) as CatalogEntry,
  );
  const paths = new Map<number, Path>();
  const pathAt = (at: number): Path => {
    const path = paths.get(at) ?? pathOf(reader.key(ordinals[at]!));
    paths.set(at, path);
    return path;
  };
  /** Read from a few facets, and seldom. */
  const languageAt = (at: number) =>
    languagesOf(reader).find(
      ({ language }) => reader.accept([[LANGUAGE_FACET + language]])[ordinals[at]!] === 1,
    )?.language;
  return {
    areTranslations: (a, b) => areTranslations(pathAt(a), pathAt(b), () => languageAt(a) !== languageAt(b)),
    areTwins: (a, b) => prints.areSimilar(a, b, TWIN_SIMILARITY) || identical.areIdentical(a, b),
    identical,
  };
}

/**
 * The group with its best-maintained skill in front: of the near-identical ones that rank as high as the leader, one that is not
 * suspicious, that keeps the specification, and that has the most references and scripts. Translations never lead.
 */
export function preferBetterMaintained(
  group: { readonly leader: number; readonly twins: readonly number[] },
  scores: Float32Array,
  skills: Pick<IdenticalSkills, 'entry'>,
  areTwins: (a: number, b: number) => boolean,
): { readonly leader: number; readonly twins: readonly number[] } {
  const { leader, twins } = group;
  const equals = twins.filter(
    (twin) => scores[leader]! - scores[twin]! <= SAME_SCORE && areTwins(leader, twin),
  );
  const best = equals.reduce(
    (a, b) => (isBetterMaintained(skills.entry(b), skills.entry(a)) ? b : a),
    leader,
  );
  return best === leader
    ? group
    : { leader: best, twins: [leader, ...twins.filter((twin) => twin !== best)] };
}

function isBetterMaintained(a: CatalogEntry, b: CatalogEntry): boolean {
  const qualities = ({ marks = [], strict, references = [], scripts = [] }: CatalogEntry) => [
    marks.length === 0 ? 1 : 0,
    strict ? 1 : 0,
    references.length + scripts.length,
  ];
  const others = qualities(b);
  const [difference = 0] = qualities(a)
    .map((quality, at) => quality - others[at]!)
    .filter((each) => each !== 0);
  return difference > 0;
}

/**
 * Splits a group into identical skills and others. Of the leader and its copies, the one with the first source
 * leads; equal ones keep their order.
 */
export function separateCopies(
  { leader, twins }: { readonly leader: number; readonly twins: readonly number[] },
  isSame: (a: number, b: number) => boolean,
  placeOf: (candidate: number) => number,
): Copies {
  const same = twins.filter((twin) => isSame(leader, twin));
  if (same.length === 0) return { leader, copies: [], twins };
  const [first = leader, ...copies] = [leader, ...same]
    .map((candidate) => ({ candidate, place: placeOf(candidate) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ candidate }) => candidate);
  return { leader: first, copies, twins: twins.filter((twin) => !same.includes(twin)) };
}

export const precedenceOf = (precedence: Precedence | undefined, { source }: CatalogEntry) =>
  precedence?.get(source) ?? Number.POSITIVE_INFINITY;

/**
 * The skills identical to `entry`, those of one source by id, as `resolve` gives them. They share its name, so they are found
 * without a scan.
 */
export function copiesOf(reader: Reader, entry: CatalogEntry, precedence?: Precedence): Copy[] {
  return reader
    .resolve(entry.name)
    .map((ordinal) => reader.payload(ordinal) as CatalogEntry)
    .filter(({ id, digest }) => id !== entry.id && digest === entry.digest)
    .toSorted((a, b) => precedenceOf(precedence, a) - precedenceOf(precedence, b))
    .map(({ id, source }) => ({ id, source }));
}
