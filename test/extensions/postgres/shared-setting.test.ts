/** Promise: tokens and a policy that are too old, or that this version cannot read, never answer a call. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Setting } from '../../../extensions/postgres/database/shared-settings.ts';
import { SharedSetting } from '../../../extensions/postgres/gateway/shared-setting.ts';

const schema = z.strictObject({ rules: z.array(z.strictObject({ who: z.string() })) });
const MAX_STALE_MS = 30_000;

/** A setting whose answers of the database the test gives. */
async function opened(first: unknown) {
  let now = 0;
  let answer: (setting: Setting, askedAt: number) => void = () => {};
  let stopped = false;
  const logged: string[] = [];
  const setting = new SharedSetting({
    settings: {
      read: async () => ({ version: 1, value: first }),
      follow(_name, onValue) {
        answer = onValue;
        return () => {
          stopped = true;
        };
      },
    },
    name: 'policy',
    parse: (value) => schema.parse(value),
    maxStaleMs: MAX_STALE_MS,
    log: (message) => logged.push(message),
    now: () => now,
  });
  await setting.opened;
  return {
    setting,
    logged,
    wait: (ms: number) => {
      now += ms;
    },
    answer: (version: number, value: unknown, askedAt = now) => answer({ version, value }, askedAt),
    isStopped: () => stopped,
  };
}

const RULES = { rules: [{ who: 'alice' }] };

it('holds as long as it may after the query that read it began, and again once it is read', async () => {
  const { setting, wait, answer, isStopped } = await opened(RULES);
  wait(10_000);
  // An answer that took 4 s.
  answer(1, RULES, 6_000);
  wait(MAX_STALE_MS - 4_000);
  expect(setting.refusal()).toBeNull();
  expect(setting.current).toEqual({ version: 1, value: RULES });
  wait(1_000);
  expect(setting.refusal()).toMatch(/could not be read for 31 s, longer than store.maxStaleRights/);
  expect(() => setting.current).toThrow('maxStaleRights');
  answer(2, { rules: [] });
  expect(setting.current).toEqual({ version: 2, value: { rules: [] } });
  setting.stop();
  expect(isStopped()).toBe(true);
});

it.each([
  ['a new key', { rules: [], quarantine: [] }, 'quarantine'],
  ['a new key of a rule', { rules: [{ who: 'alice', until: 1 }] }, 'rules.0.until'],
  ['another kind of value', { rules: 7 }, 'rules'],
  ['another kind of setting', 7, ''],
])('%s is refused and named, once, and the value before it does not come back', async (_, value, key) => {
  const { setting, logged, answer } = await opened(RULES);
  for (let poll = 0; poll < 3; poll += 1) answer(2, value);
  expect(setting.unreadable).toMatchObject({ setting: 'policy', key });
  expect(setting.refusal()).toContain('cannot be read by this version');
  expect(setting.refusal()).toContain(key);
  expect(() => setting.current).toThrow('no caller is answered');
  expect(logged).toEqual([setting.refusal()]);
  answer(3, RULES);
  expect(setting.unreadable).toBeNull();
  expect(setting.current.value).toEqual(RULES);
});

it('refuses from the start what it cannot read', async () => {
  const { setting } = await opened({ later: true });
  expect(setting.refusal()).toContain('later');
});
