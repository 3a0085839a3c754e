import { describe, expect, it } from 'vitest';
import type { FetchedSource, SourceStatus } from '../../../src/sources/fetched.ts';
import { ageText, keepFresh, refreshAll, staleNote, untilDue } from '../../../src/sources/refresh.ts';
import { endWithTest } from '../../end-with-test.ts';
import { fakeSource } from './scan/fake-source.ts';

const MINUTE = 60_000;

/** A clock that the test moves; a wait ends when the clock passes its time. */
function clock() {
  let time = 1_000_000_000_000;
  const waiting = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => time,
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const sleeper = { until: time + ms, wake: resolve };
        waiting.add(sleeper);
        const leave = () => {
          waiting.delete(sleeper);
          resolve();
        };
        if (signal.aborted) leave();
        signal.addEventListener('abort', leave, { once: true });
      }),
    /** Moves in steps, so that a woken loop can wait again before the next step. */
    async pass(ms: number, step = 500) {
      for (const end = time + ms; time < end; ) {
        time = Math.min(end, time + step);
        for (const sleeper of [...waiting]) {
          if (sleeper.until > time) continue;
          waiting.delete(sleeper);
          sleeper.wake();
        }
        await settle();
      }
    },
  };
}

/** Lets everything run that is ready. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Refreshes sources by the test's clock; `random` 0.5 means no jitter after the first fetch. */
function following(
  sources: readonly FetchedSource[],
  { now, wait }: ReturnType<typeof clock>,
  random = () => 0.5,
) {
  const changes: string[] = [];
  const loop = keepFresh(sources, { now, wait, random, onChange: ({ name }) => changes.push(name) });
  endWithTest(() => void loop.stop());
  return { changes, stop: loop.stop };
}

/** One source, followed from its first fetch on, or from its failure. */
async function started(minutes: number, answer: string | Error = 'first') {
  const time = clock();
  const source = fakeSource('a', minutes * MINUTE, time.now);
  source.answer = answer;
  const { changes, stop } = following([source], time);
  await time.pass(1_000);
  return { time, source, changes, stop };
}

describe('keepFresh', () => {
  it('fetches a new source at once, then at its interval, and reports only changes', async () => {
    const { time, source, changes } = await started(10);
    expect([source.fetches, changes]).toEqual([1, ['a']]);
    await time.pass(9 * MINUTE);
    expect(source.fetches).toBe(1);
    await time.pass(2 * MINUTE);
    expect([source.fetches, changes]).toEqual([2, ['a']]);
    source.answer = 'second';
    await time.pass(10 * MINUTE);
    expect([source.fetches, changes]).toEqual([3, ['a', 'a']]);
  });

  it('does not fetch a fresh source before it is due', async () => {
    const time = clock();
    const source = fakeSource('a', 10 * MINUTE, time.now);
    await source.refresh();
    await time.pass(4 * MINUTE);
    following([source], time, () => 0);
    await time.pass(5 * MINUTE);
    expect(source.fetches).toBe(1);
    await time.pass(2 * MINUTE);
    expect(source.fetches).toBe(2);
  });

  it('retries soon after a failure, then less often, and returns to its interval after a success', async () => {
    const { time, source } = await started(10, new Error('Nobody there.'));
    expect(source.fetches).toBe(1);
    // 30 s, then 60 s, then 120 s: after 3.6 minutes the first and three more.
    await time.pass(215_000);
    expect(source.fetches).toBe(4);
    source.answer = 'first';
    await time.pass(4 * MINUTE);
    expect(source.fetches).toBe(5);
    await time.pass(9 * MINUTE);
    expect(source.fetches).toBe(5);
  });

  it('fetches on notifications, at most once a second', async () => {
    const { time, source, changes } = await started(60);
    await time.pass(1_000);
    source.answer = 'second';
    source.notice();
    await time.pass(1_000);
    expect([source.fetches, changes]).toEqual([2, ['a', 'a']]);
    for (let at = 0; at < 1_000; at += 1) {
      source.notice();
      if (at % 100 === 0) await time.pass(100, 100);
    }
    expect(source.fetches).toBeLessThanOrEqual(4);
  });

  it('ignores notifications of a failing origin until its pause is over', async () => {
    const { time, source } = await started(60, new Error('Broken.'));
    for (let at = 0; at < 50; at += 1) {
      source.notice();
      await time.pass(500);
    }
    expect(source.fetches).toBe(1);
  });

  it('reports what another process fetched into the same folder', async () => {
    const { time, source, changes } = await started(10);
    source.answer = 'second';
    await source.refresh();
    await time.pass(11 * MINUTE);
    expect(changes).toEqual(['a', 'a']);
  });

  it('keeps sources independent, even of one that rejects', async () => {
    const time = clock();
    const hanging = {
      ...fakeSource('hanging', MINUTE, time.now),
      refresh: () => new Promise<boolean>(() => {}),
    };
    const throwing = {
      ...fakeSource('throwing', MINUTE, time.now),
      refresh: () => Promise.reject(new Error('!')),
    };
    const sound = fakeSource('sound', MINUTE, time.now);
    const { changes } = following([hanging, throwing, sound], time);
    await time.pass(5 * MINUTE);
    expect(sound.fetches).toBe(5);
    expect(changes).toEqual(['sound']);
  });

  it('stops at once during a pause', async () => {
    const { time, source, stop } = await started(1);
    await stop();
    source.notice();
    await time.pass(10 * MINUTE);
    expect(source.fetches).toBe(1);
  });

  it('varies its intervals by a tenth either way', async () => {
    const gap = async (random: number) => {
      const time = clock();
      const source = fakeSource('a', 10 * MINUTE, time.now);
      const { stop } = following([source], time, () => random);
      await time.pass(500);
      const began = time.now();
      while (source.fetches === 1) await time.pass(10_000, 10_000);
      await stop();
      return (time.now() - began) / MINUTE;
    };
    expect(await gap(0)).toBeCloseTo(9, 0);
    expect(await gap(0.999)).toBeCloseTo(11, 0);
  });
});

describe('untilDue', () => {
  it('is 0 for a source that was never fetched, failed, is old, or was verified in the future', async () => {
    const time = clock();
    const source = fakeSource('a', MINUTE, time.now);
    expect(untilDue(source, time.now())).toBe(0);
    await source.refresh();
    expect(untilDue(source, time.now() + 20_000)).toBe(40_000);
    expect(untilDue(source, time.now() + MINUTE)).toBe(0);
    expect(untilDue(source, time.now() - 1)).toBe(0);
    source.answer = new Error('Gone.');
    await source.refresh();
    expect(untilDue(source, time.now() + 1)).toBe(0);
  });
});

describe('refreshAll', () => {
  it('fetches in parallel, and a failure does not affect the others', async () => {
    const time = clock();
    const [sound, failing] = [fakeSource('a', MINUTE, time.now), fakeSource('b', MINUTE, time.now)];
    failing.answer = new Error('Gone.');
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = { ...fakeSource('c', MINUTE, time.now), refresh: async () => gate.then(() => false) };
    const throwing = { ...fakeSource('d', MINUTE, time.now), refresh: () => Promise.reject(new Error('!')) };
    const all = refreshAll([slow, throwing, failing, sound]);
    await settle();
    expect(sound.status().resolved).toBe('first');
    expect(failing.status().failure).toBe('Gone.');
    release();
    await all;
  });

  it('rejects with the signal’s reason', async () => {
    const time = clock();
    await expect(refreshAll([fakeSource('a', MINUTE, time.now)], AbortSignal.abort('enough'))).rejects.toBe(
      'enough',
    );
  });
});

describe('ageText', () => {
  it.each([
    [0, '0 seconds'],
    [-5, '0 seconds'],
    [1_999, '1 second'],
    [119_000, '1 minute'],
    [7_200_000, '2 hours'],
    [200_000_000, '2 days'],
  ])('calls %i ms %s', (ms, text) => expect(ageText(ms)).toBe(text));
});

describe('staleNote', () => {
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const status = (more: Partial<SourceStatus>): SourceStatus => ({
    name: 'team',
    kind: 'git',
    origin: 'o',
    resolved: 'r',
    verifiedAt: '2026-06-01T09:00:00Z',
    failure: null,
    ...more,
  });

  it('gives the age of a source that is older than its interval, and the failure if there is one', () => {
    expect(staleNote(status({}), 60_000, NOW)).toBe('The source team was last checked 3 hours ago.');
    expect(staleNote(status({ failure: 'Nobody there.' }), 86_400_000, NOW)).toBe(
      'The source team could not be refreshed and shows its state of 3 hours ago. Nobody there.',
    );
  });

  it('says that the skills of a source that was never fetched are missing', () => {
    expect(staleNote(status({ verifiedAt: null }), 1, NOW)).toContain('its skills are missing');
    expect(staleNote(status({ verifiedAt: null, failure: 'Refused.' }), 1, NOW)).toBe(
      'The source team could not be fetched, so its skills are missing. Refused.',
    );
  });

  it('says nothing about a fresh source', () => {
    expect(staleNote(status({}), 4 * 3_600_000, NOW)).toBeNull();
  });
});
