/** Terms as 64-bit numbers: the index stores and looks up hashes, never the strings. */

/**
 * 64-bit hash of a string's UTF-16 code units, as two unsigned 32-bit halves.
 *
 * cyrb53 (bryc, public domain, 2018: two multiplicative streams, mixed as in MurmurHash3), with both halves kept whole.
 * At 4 million terms the probability of any collision is about n² / 2⁶⁵ = 4e-7, and a collision only makes one rare
 * word match another. There is no seed, so it does not resist deliberate collisions.
 */
export function hashTerm(term: string): readonly [high: number, low: number] {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < term.length; at += 1) {
    const unit = term.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return [high >>> 0, low >>> 0];
}

/** Position of (high, low) among ascending pairs, or −1. */
export function findHash(pairs: Uint32Array, high: number, low: number): number {
  const at = firstAtLeast(pairs, high, low);
  return pairs[2 * at] === high && pairs[2 * at + 1] === low ? at : -1;
}

/** Position of the first of the ascending pairs at or above (high, low). */
export function firstAtLeast(pairs: Uint32Array, high: number, low: number): number {
  let from = 0;
  let to = pairs.length / 2;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = pairs[2 * middle]!;
    if (found < high || (found === high && pairs[2 * middle + 1]! < low)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Positions of (high, low) pairs in ascending order. A radix sort on `high`, 16 bits at a time, then an insertion sort
 * of the few ties. Linear; a comparison sort of a million pairs takes a second.
 */
export function orderOfHashes(pairs: Uint32Array): Uint32Array {
  const count = pairs.length / 2;
  const identity = Uint32Array.from({ length: count }, (_, at) => at);
  const order = sortByDigit(pairs, sortByDigit(pairs, identity, 0), 16);
  for (let at = 1; at < count; at += 1) {
    const item = order[at]!;
    let place = at;
    for (; place > 0; place -= 1) {
      const before = order[place - 1]!;
      if (pairs[2 * before] !== pairs[2 * item] || pairs[2 * before + 1]! <= pairs[2 * item + 1]!) break;
      order[place] = before;
    }
    order[place] = item;
  }
  return order;
}

/** Stable sort of `order` by 16 bits of each pair's high half. */
function sortByDigit(pairs: Uint32Array, order: Uint32Array, shift: number): Uint32Array {
  const starts = new Uint32Array(0x10001);
  for (const item of order) starts[((pairs[2 * item]! >>> shift) & 0xffff) + 1]! += 1;
  for (let digit = 0; digit < 0x10000; digit += 1) starts[digit + 1]! += starts[digit]!;
  const sorted = new Uint32Array(order.length);
  for (const item of order) sorted[starts[(pairs[2 * item]! >>> shift) & 0xffff]!++] = item;
  return sorted;
}
