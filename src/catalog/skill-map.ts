/**
 * The skills of a catalog in the plane, and the places where they lie densely, with their names: for the page's map, and for the
 * themes of `summary.ts`. Loaded on first use: most processes read a stored summary.
 */

import type { Reader } from '../../index/reader/reader.ts';
import type { VectorIndex } from '../../index/vectors/exact.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { layout, NEIGHBOURS, type Neighbours } from './places/layout.ts';
import { findPlaces, type Place } from './places/places.ts';

/** Shares of the time that finding neighbours and laying them out take, of 24,849 skills; the rest finds and names places. */
const FINDING = 0.6;
const LAYING = 0.2;
/** Of a few skills, one in so many is a neighbour: where all are neighbours of all, there is no map. */
const FEW = 4;
/** How far copies lie from each other, in a map of width 2. */
const APART = 0.004;
/**
 * Of a skill's neighbours, so many may be its near-copies, at this cosine: copies that fill each other's rows would drift away
 * from what they are about. The others are looked for among so many.
 */
const MAX_COPIES = 4;
const NEAR_COPY = 0.85;
const LOOKED_AT = 48;

export interface MappedSkills {
  readonly entries: readonly CatalogEntry[];
  /** x and y of each skill, about within −1…1. */
  readonly points: Float32Array;
  /** Two levels, the upper one first; on each level the largest first. */
  readonly places: readonly Place[];
  /** Position of each skill's place on the lower level. */
  readonly placeOf: readonly number[];
}

/**
 * Deterministic. Needs vectors that were read; without a model all skills would lie in one place. `onProgress` gets 0–1, and may
 * let others have their turn.
 */
export async function mapSkills(
  reader: Reader,
  ordinals: readonly number[],
  vectors: VectorIndex,
  onProgress: (share: number) => void | Promise<void>,
): Promise<MappedSkills> {
  const entries = ordinals.map((ordinal) => entryAt(reader, ordinal));
  const { first, standsFor } = withoutCopies(entries);
  const shown = first.map((at) => ordinals[at]!);
  const meanings = shown.map((ordinal) => reader.documentVector(ordinal));
  const accept = new Uint8Array(reader.accept([]).length);
  const positions = new Map(shown.map((ordinal, at) => [ordinal, at]));
  for (const ordinal of shown) accept[ordinal] = 1;
  const width = Math.min(NEIGHBOURS, Math.ceil(shown.length / FEW), Math.max(0, shown.length - 1));
  const neighbours: Neighbours = {
    width,
    points: new Uint32Array(shown.length * width),
    distances: new Float32Array(shown.length * width),
  };
  for (const [at, meaning] of meanings.entries()) {
    const { ordinals: near, scores } = vectors.nearest(meaning, LOOKED_AT + 1, accept);
    const others = Array.from(near, (ordinal, rank) => ({
      at: positions.get(ordinal)!,
      score: scores[rank]!,
    })).filter((other) => other.at !== at);
    chooseNeighbours(others, width).forEach((other, rank) => {
      neighbours.points[at * width + rank] = other.at;
      neighbours.distances[at * width + rank] = Math.max(0, 1 - other.score);
    });
    await onProgress((FINDING * at) / shown.length);
  }
  const laid = await layout(meanings, neighbours, (share) => onProgress(FINDING + LAYING * share));
  const points = besideCopies(laid, standsFor);
  return { entries, points, ...findPlaces(points, entries) };
}

/** One of several skills with the same name and description: copies would be each other's only neighbours. */
function withoutCopies(entries: readonly CatalogEntry[]) {
  const known = new Map<string, number>();
  const first: number[] = [];
  const standsFor = entries.map(({ name, description }, at) => {
    const card = `${name}\n${description}`;
    const place = known.get(card) ?? first.push(at) - 1;
    known.set(card, place);
    return place;
  });
  return { first, standsFor };
}

interface Neighbour {
  readonly at: number;
  readonly score: number;
}

/** The nearest, few of them near-copies; where there are too few others, copies fill the row. */
function chooseNeighbours(others: readonly Neighbour[], width: number): readonly Neighbour[] {
  const copies = others.filter(({ score }) => score >= NEAR_COPY);
  const rest = others.slice(copies.length);
  const most = Math.max(MAX_COPIES, width - rest.length);
  return [...copies.slice(0, most), ...rest].slice(0, width);
}

/** A point for each skill: copies lie around the first in a sunflower's order, so that none hides another. */
function besideCopies(laid: Float32Array, standsFor: readonly number[]): Float32Array {
  const points = new Float32Array(2 * standsFor.length);
  const copies = new Map<number, number>();
  standsFor.forEach((place, at) => {
    const number = copies.get(place) ?? 0;
    copies.set(place, number + 1);
    const [angle, radius] = [number * 2.399963, APART * Math.sqrt(number)];
    points[2 * at] = laid[2 * place]! + radius * Math.cos(angle);
    points[2 * at + 1] = laid[2 * place + 1]! + radius * Math.sin(angle);
  });
  return points;
}
