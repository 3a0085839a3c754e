/**
 * Work that takes seconds in a large catalog: its map, and pairs of skills that collide. It runs in a thread of its own, so
 * that no search waits for it; from sources, and over an index in memory, in this one.
 */

import { createHash } from 'node:crypto';
import type { Reader } from '../../index/reader/reader.ts';
import { type Collision, collidingPairs, shadowing } from '../../src/authoring/collisions.ts';
import { ordinalOf } from '../../src/gateway/resolve.ts';
import type { Searchable } from '../../src/search/search.ts';
import { type Plane, planeOf } from './plane.ts';

/** Pairs that are searched for, to see which of the two hides the other: the hardest to tell apart. */
const EXAMINED = 40;

interface Collisions {
  /** Ids of all pairs, the hardest to tell apart first. */
  readonly found: readonly (readonly [string, string])[];
  /** The first of them. */
  readonly pairs: readonly Collision[];
}

export interface Results {
  readonly map: Plane;
  readonly collisions: Collisions;
}

export type Kind = keyof Results;

type Performers = {
  readonly [Name in Kind]: (index: Searchable, onProgress: (share: number) => void) => Promise<Results[Name]>;
};

export const PERFORM: Performers = {
  map: ({ reader }, onProgress) => planeOf(reader, onProgress),
  collisions: collisionsOf,
};

async function collisionsOf(index: Searchable): Promise<Collisions> {
  const found = await collidingPairs(index);
  const pairs: Collision[] = [];
  for (const pair of found.slice(0, EXAMINED)) {
    const [a, b] = pair.ids.map((id) => ordinalOf(index.reader, id)) as [number, number];
    pairs.push({ ...pair, shadowing: await shadowing(index, a, b) });
  }
  return { found: found.map(({ ids }) => ids), pairs };
}

/** Performs work over a view; `visible` are the ids in it, or null for the whole catalog. */
export type Perform = <Name extends Kind>(
  kind: Name,
  index: Searchable,
  visible: readonly string[] | null,
  onProgress: (share: number) => void,
) => Promise<Results[Name]>;

/** In this thread. */
export const performHere: Perform = (kind, index, _, onProgress) => PERFORM[kind](index, onProgress);

/** Changes with any skill of the view: two views with the same skills have the same work. */
export function contentOf(reader: Reader): string {
  const known = contents.get(reader);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const ordinal of reader.ordinalsByKey())
    hash.update(`${reader.key(ordinal)}\0${reader.digest(ordinal)}\0`);
  const content = hash.digest('hex');
  contents.set(reader, content);
  return content;
}

const contents = new WeakMap<Reader, string>();
