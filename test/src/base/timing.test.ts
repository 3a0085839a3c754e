import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { backoffMs, untilAborted, withTimeout } from '../../../src/base/timing.ts';

const never = new Promise<never>(() => {});

describe('withTimeout', () => {
  it('gives the value of work that is in time, and its rejection', async () => {
    expect(await withTimeout(Promise.resolve(1), 10_000, () => 2)).toBe(1);
    await expect(withTimeout(Promise.reject(new Error('no')), 10_000, () => 2)).rejects.toThrow('no');
  });

  it('gives what late gives, or throws what it throws, after the time', async () => {
    expect(await withTimeout(never, 1, () => 'late')).toBe('late');
    const thrown = withTimeout(never, 1, () => {
      throw new Error('too slow');
    });
    await expect(thrown).rejects.toThrow('too slow');
  });

  it('ignores a rejection that comes after the time', async () => {
    const slow = sleep(20).then(() => Promise.reject(new Error('late')));
    expect(await withTimeout(slow, 1, () => 'late')).toBe('late');
    await sleep(40);
  });
});

describe('untilAborted', () => {
  it('rejects with the reason of a signal that aborts before or during the work', async () => {
    const control = new AbortController();
    const during = untilAborted(never, control.signal);
    control.abort(new Error('stop'));
    await expect(during).rejects.toThrow('stop');
    await expect(untilAborted(Promise.resolve(1), control.signal)).rejects.toThrow('stop');
  });

  it('gives the value where nothing aborts', async () => {
    expect(await untilAborted(Promise.resolve(1))).toBe(1);
    expect(await untilAborted(Promise.resolve(2), new AbortController().signal)).toBe(2);
  });
});

it('backoffMs doubles from the first to the most', () => {
  expect([1, 2, 3, 4, 9].map((failures) => backoffMs(failures, 10, 50))).toEqual([10, 20, 40, 50, 50]);
});
