import { describe, expect, it } from 'vitest';
import { Changes, Schedule } from '../../../src/catalog/schedule.ts';

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
  it.each([
    // 3,000 / 0.02.
    ['none', 150_000],
    ['active', 300_000],
  ] as const)('that no call waits for takes at most a fiftieth of the time, watcher: %s', (watch, due) => {
    const { schedule, isDueAt } = checked(3_000);
    schedule.watch = watch;
    expect([isDueAt(due - 1), isDueAt(due)]).toEqual([false, true]);
  });

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

function at(isPublished = false) {
  const clock = { ms: 0 };
  return { changes: new Changes(() => clock.ms, isPublished), clock };
}

describe('changes', () => {
  it('are pending from the moment they are seen until the index holds them', () => {
    const { changes, clock } = at();
    changes.take();
    changes.note(['/skills/a', '/skills/b']);
    clock.ms = 700;
    changes.note(['/skills/c']);
    const taken = changes.take();
    expect(taken.paths).toEqual(['/skills/a', '/skills/b', '/skills/c']);
    clock.ms = 1_000;
    changes.note(null);
    expect(changes.status()).toEqual({ seen: 4, committed: 0, pending: 4, pendingMs: 1_000 });
    changes.indexed(taken.upTo);
    clock.ms = 1_500;
    // The one that was seen at 1,000 came after what was taken.
    expect(changes.status()).toEqual({ seen: 4, committed: 3, pending: 1, pendingMs: 500 });
    changes.indexed(changes.take().upTo);
    expect(changes.status()).toEqual({ seen: 4, committed: 4, pending: 0, pendingMs: 0 });
  });

  it('stay pending where they could not be indexed, and are taken again', () => {
    const { changes } = at();
    changes.take();
    changes.note(['/skills/a']);
    changes.take();
    expect(changes.some).toBe(false);
    changes.retry();
    expect([changes.some, changes.take().paths, changes.status().pending]).toEqual([true, null, 1]);
  });

  it('of a shared catalog are pending until they are published, with what changed while nobody wrote', () => {
    const { changes, clock } = at(true);
    changes.indexed(changes.take().upTo);
    clock.ms = 2_000;
    expect(changes.status()).toEqual({ seen: 1, committed: 0, pending: 1, pendingMs: 2_000 });
    const upTo = changes.indexedUpTo;
    changes.note(['/skills/a']);
    changes.indexed(changes.take().upTo);
    changes.committed(upTo);
    expect(changes.status()).toMatchObject({ committed: 1, pending: 1, pendingMs: 0 });
  });
});
