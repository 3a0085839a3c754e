/**
 * Identical skills of several sources: which of them is shown, and where the others are. Identical are those of one
 * digest, which is over the paths and contents of all their files.
 */

import type { Reader } from '#index';
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

/**
 * Of a group's leader and those identical to it, the one whose source comes first is put to the front; equals keep
 * their order. Only groups in which something is identical are looked into.
 */
export function separateCopies(
  { leader, twins }: { readonly leader: number; readonly twins: readonly number[] },
  digestOf: (candidate: number) => string,
  placeOf: (candidate: number) => number,
): Copies {
  if (twins.length === 0) return { leader, copies: [], twins };
  const digest = digestOf(leader);
  const same = twins.filter((twin) => digestOf(twin) === digest);
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
    .filter((ordinal) => reader.digest(ordinal) === entry.digest)
    .map((ordinal) => reader.payload(ordinal) as CatalogEntry)
    .filter(({ id }) => id !== entry.id)
    .toSorted((a, b) => placeIn(precedence, a) - placeIn(precedence, b) || (a.id < b.id ? -1 : 1))
    .map(({ id, source }) => ({ id, source }));
}
