/**
 * Sets of documents: those that pass a filter of facets, and all sorted by key from one generation to the next. The same
 * filters recur (a host's own filter, pages of one result), so recent sets are cached. A repeated search
 * then allocates nothing in proportion to the catalog, and caches keyed by the identity of a set, such as the share of a
 * graph's rows, stay valid.
 */

import { LRUCache } from 'lru-cache';
import type { OpenSegment } from '../generation.ts';

/** Number of cached sets. A set takes one byte per document. */
const KEPT = 32;

export class Filters {
  readonly #segments: readonly OpenSegment[];
  readonly #alive: Uint8Array;
  /** By the requested facets. */
  readonly #sets = new LRUCache<string, Uint8Array>({ max: KEPT });
  readonly #sizes = new WeakMap<Uint8Array, number>();

  /** `alive` has 1 for each living ordinal. */
  constructor(segments: readonly OpenSegment[], alive: Uint8Array) {
    this.#segments = segments;
    this.#alive = alive;
  }

  /** 1 for each living ordinal with at least one facet of every group. Do not write to it. */
  accept(groups: readonly (readonly string[])[]): Uint8Array {
    if (groups.length === 0) return this.#alive;
    // Unknown facets match nothing. Without them, a client cannot make the key arbitrarily long.
    const known = groups.map((group) => group.filter((facet) => this.#has(facet)));
    const key = JSON.stringify(known);
    const kept = this.#sets.get(key);
    if (kept !== undefined) return kept;
    const set = this.#setOf(known);
    this.#sets.set(key, set);
    return set;
  }

  /** Number of documents in a set that `accept` returned. */
  sizeOf(set: Uint8Array): number {
    let size = this.#sizes.get(set);
    if (size === undefined) {
      size = set.reduce((sum, accepted) => sum + accepted, 0);
      this.#sizes.set(set, size);
    }
    return size;
  }

  #has(facet: string): boolean {
    return this.#segments.some(({ reader }) => reader.facets.has(facet));
  }

  #setOf(groups: readonly (readonly string[])[]): Uint8Array {
    let accepted = this.#alive;
    for (const group of groups) {
      const next = new Uint8Array(accepted.length);
      for (const { reader, base } of this.#segments)
        for (const facet of group)
          for (const local of reader.facets.get(facet) ?? []) next[base + local] = accepted[base + local]!;
      accepted = next;
    }
    return accepted;
  }
}

/** The key of a document by its ordinal. */
type KeyOf = (ordinal: number) => string;

/** Index of the first ordinal in `ordinals`, sorted by key, whose key is at or above `key`. */
export function placeOf(ordinals: Uint32Array, key: string, keyOf: KeyOf): number {
  let low = 0;
  let high = ordinals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(ordinals[middle]!) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ordinals sorted by key, in code-unit order. */
export function sortByKey(ordinals: Iterable<number>, keyOf: KeyOf): Uint32Array {
  const keyed = Array.from(ordinals, (ordinal) => ({ key: keyOf(ordinal), ordinal }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return Uint32Array.from(keyed, ({ ordinal }) => ordinal);
}

/** `sorted` with `others` inserted in order. Reads few keys if `others` are few, however long `sorted` is. */
export function insertByKey(sorted: Uint32Array, others: readonly number[], keyOf: KeyOf): Uint32Array {
  const merged = new Uint32Array(sorted.length + others.length);
  let from = 0;
  let to = 0;
  for (const ordinal of sortByKey(others, keyOf)) {
    const place = placeOf(sorted, keyOf(ordinal), keyOf);
    merged.set(sorted.subarray(from, place), to);
    to += place - from;
    merged[to] = ordinal;
    to += 1;
    from = place;
  }
  merged.set(sorted.subarray(from), to);
  return merged;
}
