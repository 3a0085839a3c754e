import { describe, expect, it } from 'vitest';
import { UnsolicitedBudget } from '../../../../extensions/remote-sources/upstream/stdio.ts';

describe('UnsolicitedBudget', () => {
  it('allows 5,000 messages within ten seconds, and as many in the next ten', () => {
    let now = 0;
    const noise = new UnsolicitedBudget(() => now);
    for (let at = 0; at < 5_000; at++) expect(noise.allows(1)).toBe(true);
    expect(noise.allows(1)).toBe(false);
    now = 10_001;
    expect(noise.allows(1)).toBe(true);
  });

  it('allows 16 MiB within ten seconds', () => {
    const noise = new UnsolicitedBudget(() => 0);
    expect(noise.allows(16 * 2 ** 20)).toBe(true);
    expect(noise.allows(1)).toBe(false);
  });
});
