/**
 * Which documents a filter takes in. Filters come again and again (a host's own, those of a page of results), so their
 * sets are kept: a search then takes no memory in proportion to the catalog, and what others know of a set by its
 * identity, like the share of a graph's rows, they know for good.
 */

import type { OpenSegment } from '../generation.ts';
import { Latest } from '../latest.ts';

/** Sets kept, the latest used: one takes a byte a document. */
const KEPT = 32;

export class Filters {
  readonly #segments: readonly OpenSegment[];
  readonly #alive: Uint8Array;
  /** By the facets asked for. */
  readonly #sets = new Latest<string, Uint8Array>(KEPT);
  readonly #sizes = new WeakMap<Uint8Array, number>();

  /** `alive` has 1 for each ordinal that can be found. */
  constructor(segments: readonly OpenSegment[], alive: Uint8Array) {
    this.#segments = segments;
    this.#alive = alive;
  }

  /** 1 for each ordinal that is alive and has, of every group, at least one facet. Not to be written to. */
  accept(groups: readonly (readonly string[])[]): Uint8Array {
    if (groups.length === 0) return this.#alive;
    // What nobody has changes nothing, and would make the key as long as a client likes.
    const known = groups.map((group) => group.filter((facet) => this.#has(facet)));
    return this.#sets.get(JSON.stringify(known), () => this.#setOf(known));
  }

  /** How many documents a set that `accept` gave takes in. */
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
