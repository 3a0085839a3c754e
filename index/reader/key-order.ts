/** Keeps documents sorted by key from one generation to the next. */

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
