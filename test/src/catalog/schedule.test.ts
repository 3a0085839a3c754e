import { describe, expect, it } from 'vitest';
import { Changes } from '../../../src/catalog/changes.ts';
import { Schedule } from '../../../src/catalog/schedule.ts';

/** A schedule after a check of everything that took so long, ms. No call waits longer than 250 ms. */
function checked(tookMs: number) {
  const clock = { ms: 0 };
  const schedule = new Schedule(new Changes(() => clock.ms), () => clock.ms, 250);
  schedule.take();
  schedule.begin('everything');
  schedule.measured(tookMs);
  schedule.end();
  return {
    schedule,
    isDueAt(ms: number) {
      clock.ms = ms;
      return schedule.isDue(25_000);
    },
  };
}

describe('a check of everything', () => {
  it.each(['none', 'active'] as const)(
    'that no call waits for takes less than 0.5 % of ten minutes, watcher: %s',
    (watch) => {
      const { schedule, isDueAt } = checked(3_000);
      schedule.watch = watch;
      // 3,000 / 0.004.
      expect([isDueAt(600_000), isDueAt(749_999), isDueAt(750_000)]).toEqual([false, false, true]);
    },
  );

  it('that calls wait for takes at most a twentieth of the time, and none with a watcher for five minutes', () => {
    const { schedule, isDueAt } = checked(200);
    // 200 / 0.05.
    expect([isDueAt(3_999), isDueAt(4_000)]).toEqual([false, true]);
    schedule.watch = 'active';
    expect([isDueAt(299_999), isDueAt(300_000)]).toEqual([false, true]);
  });

  it('is due at once where anything may have changed, and soon after one that failed', () => {
    const noticed = checked(3_000);
    noticed.schedule.note(null);
    expect(noticed.isDueAt(1)).toBe(true);
    const failed = checked(3_000);
    failed.schedule.retryAll();
    // 3,000 / 0.05.
    expect([failed.isDueAt(59_999), failed.isDueAt(60_000)]).toEqual([false, true]);
  });
});
