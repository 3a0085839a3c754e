/**
 * Where a number belongs among ascending ones (all below 2³¹): the place of the first of `numbers` from `low` to `end`
 * (excluded) that is not below `wanted`; `end` where all are. Halved without branches, which a processor would guess wrong
 * every other time: the sign of a difference is a mask.
 */
export function lowerBound(numbers: Uint32Array, wanted: number, low = 0, end = numbers.length): number {
  let from = low;
  for (let left = end - low; left > 1; ) {
    const half = left >>> 1;
    from += half & ((numbers[from + half - 1]! - wanted) >> 31);
    left -= half;
  }
  return from < end && numbers[from]! < wanted ? from + 1 : from;
}
