import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reportLate } from '../../../src/app/freshness.ts';
import { Changes } from '../../../src/catalog/schedule.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a change that is not served in time is logged once, and so is that it is', async () => {
  const changes = new Changes(() => Date.now());
  const log: string[] = [];
  const stop = reportLate(changes, (message) => log.push(message));
  changes.take();
  changes.note(['/skills/a', '/skills/b']);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(log).toEqual([]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(log).toEqual(['Changes of the skill folders are not served yet: 2, the oldest seen 35 s ago.']);
  changes.indexed(changes.take().upTo);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(log.slice(1)).toEqual(['The changes of the skill folders that were late are served.']);
  stop();
});
