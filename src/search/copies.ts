/**
 * Identical skills of several sources: which of them is shown, and where the others are. Identical are those of one
 * digest, which is over the paths and contents of all their files.
 */

import type { Fingerprints, Reader } from '#index';
import type { CatalogEntry } from '../catalog/entry.ts';

/** A skill that is identical to another one. */
export interface Copy {
  readonly id: string;
  readonly source: string;
}

/** Place of each source by name, 0 for the one that leads. One that is not named comes last. */
export type Precedence = ReadonlyMap<string, number>;

export interface Copies {
  /** The one to be shown. */
  readonly leader: number;
  /** Those identical to it, in the order of their sources. */
  readonly copies: readonly number[];
  /** The others of the group, in their order. */
  readonly twins: readonly number[];
}

/** Scores of one text differ by less, in whichever segments it lies: 1/50 of a score's range. */
const SAME_SCORE = 0.02;

/**
 * Which of a search's candidates are identical. Entries are read only where all that is at hand agrees: what is the
 * same has the same print and all but the same score.
 */
export class Sameness {
  readonly #prints: Fingerprints;
  readonly #scores: Float32Array;
  readonly #read: (candidate: number) => CatalogEntry;
  readonly #entries = new Map<number, CatalogEntry>();

  constructor(prints: Fingerprints, scores: Float32Array, read: (candidate: number) => CatalogEntry) {
    this.#prints = prints;
    this.#scores = scores;
    this.#read = read;
  }

  of(a: number, b: number): boolean {
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

/**
 * Of a group's leader and those identical to it, the one whose source comes first is put to the front; equals keep
 * their order. Only groups in which something is identical are looked into.
 */
export function separateCopies(
  { leader, twins }: { readonly leader: number; readonly twins: readonly number[] },
  isSame: (a: number, b: number) => boolean,
  placeOf: (candidate: number) => number,
): Copies {
  if (twins.length === 0) return { leader, copies: [], twins };
  const same = twins.filter((twin) => isSame(leader, twin));
  if (same.length === 0) return { leader, copies: [], twins };
  const [first = leader, ...copies] = [leader, ...same]
    .map((candidate) => ({ candidate, place: placeOf(candidate) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ candidate }) => candidate);
  return { leader: first, copies, twins: twins.filter((twin) => !same.includes(twin)) };
}

export const placeIn = (precedence: Precedence | undefined, { source }: CatalogEntry) =>
  precedence?.get(source) ?? Number.POSITIVE_INFINITY;

/** Those identical to a skill. They share its name, by which they are found without a look at all others. */
export function copiesOf(reader: Reader, entry: CatalogEntry, precedence?: Precedence): Copy[] {
  return reader
    .resolve(entry.name)
    .map((ordinal) => reader.payload(ordinal) as CatalogEntry)
    .filter(({ id, digest }) => id !== entry.id && digest === entry.digest)
    .toSorted((a, b) => placeIn(precedence, a) - placeIn(precedence, b) || (a.id < b.id ? -1 : 1))
    .map(({ id, source }) => ({ id, source }));
}
