/** Documents in the order of their keys, from one generation to the next. */

/** The key of a document by its ordinal. */
type KeyOf = (ordinal: number) => string;

/** Where in `ordinals`, sorted by key, the first key stands that is not below `key`. */
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

/** Ordinals sorted by key, in code units. */
export function sortByKey(ordinals: Iterable<number>, keyOf: KeyOf): Uint32Array {
  const keyed = Array.from(ordinals, (ordinal) => ({ key: keyOf(ordinal), ordinal }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return Uint32Array.from(keyed, ({ ordinal }) => ordinal);
}

/** `sorted` with some others in their places: reads few keys where they are few, however many are sorted. */
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
