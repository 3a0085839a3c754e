import { describe, expect, it } from 'vitest';
import { threadsWithin } from '../../../src/app/open-library.ts';

const GB = 2 ** 30;

describe('threadsWithin', () => {
  it('takes one thread per core, up to eight, with enough memory', () => {
    expect(threadsWithin(16 * GB, 2)).toBe(2);
    expect(threadsWithin(16 * GB, 64)).toBe(8);
  });

  it('takes fewer threads in a small container, but at least one', () => {
    // (2048 MB − 800 MB) ÷ 300 MB = 4.16
    expect(threadsWithin(2 * GB, 64)).toBe(4);
    expect(threadsWithin(1 * GB, 64)).toBe(1);
  });
});
