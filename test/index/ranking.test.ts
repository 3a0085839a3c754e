import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TopK } from '../../index/ranking.ts';

/** Few distinct scores, so ties are common. */
const scores = fc.array(fc.constantFrom(-1, 0, 0.1, 0.5, 2, Number.NEGATIVE_INFINITY), { maxLength: 60 });

function topOf(k: number, pushed: readonly (readonly [ordinal: number, score: number])[]) {
  const top = new TopK(k);
  for (const [ordinal, score] of pushed) top.push(ordinal, score);
  return top.drain();
}

describe('TopK', () => {
  it('keeps the first k of a full sort, best first, ties by lower ordinal', () => {
    fc.assert(
      fc.property(scores, fc.nat({ max: 70 }), fc.infiniteStream(fc.nat()), (all, k, random) => {
        const pushed = all
          .map((score, ordinal) => ({ score, ordinal, at: random.next().value }))
          .sort((a, b) => a.at - b.at);
        const { ordinals, scores: kept } = topOf(
          k,
          pushed.map(({ ordinal, score }) => [ordinal, score]),
        );
        const sorted = [...all.keys()].sort((a, b) => all[b]! - all[a]! || a - b).slice(0, k);
        // -Infinity − -Infinity is NaN, which `||` correctly treats as a tie.
        expect([...ordinals]).toEqual(sorted);
        expect([...kept]).toEqual(sorted.map((ordinal) => Math.fround(all[ordinal]!)));
      }),
    );
  });

  it('treats scores as equal that are equal as float32', () => {
    // 0.1 and 0.1 + 1e-12 are one float32: the lower ordinal wins although its double is smaller.
    expect([
      ...topOf(1, [
        [4, 0.1 + 1e-12],
        [3, 0.1],
      ]).ordinals,
    ]).toEqual([3]);
  });

  it('never keeps NaN, with or without room', () => {
    const pushed = [
      [0, Number.NaN],
      [1, 1],
      [2, Number.NaN],
      [3, 2],
      [4, Number.NaN],
    ] as const;
    expect([...topOf(2, pushed).ordinals]).toEqual([3, 1]);
    expect([...topOf(9, pushed).ordinals]).toEqual([3, 1]);
  });

  it('reports the score that a candidate must reach', () => {
    const top = new TopK(2);
    expect(top.threshold).toBe(Number.NEGATIVE_INFINITY);
    top.push(0, 5);
    expect(top.threshold).toBe(Number.NEGATIVE_INFINITY);
    top.push(1, 3);
    expect(top.threshold).toBe(3);
    top.push(2, 4);
    expect(top.threshold).toBe(4);
    expect(new TopK(0).threshold).toBe(Number.POSITIVE_INFINITY);
  });

  it('is empty after draining and can be filled again', () => {
    const top = new TopK(3);
    top.push(7, 1);
    expect([...top.drain().ordinals]).toEqual([7]);
    expect(top.drain().ordinals).toHaveLength(0);
    top.push(8, 1);
    expect([...top.drain().ordinals]).toEqual([8]);
  });
});
