/**
 * Binary search in ascending numbers, all below 2³¹: the first index in [low, end) whose number is at or above
 * `wanted`, or `end`. Branchless, because the branches would be unpredictable: the sign of a difference is a mask.
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
