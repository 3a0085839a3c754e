/** What gateways share besides the index: settings, sums of rate limits, the audit log. */

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import type { Database } from '../../../extensions/postgres/database/connect.ts';
import { Gateways } from '../../../extensions/postgres/database/gateways.ts';
import { migrate } from '../../../extensions/postgres/database/migrations.ts';
import { SharedLog } from '../../../extensions/postgres/database/shared-log.ts';
import { type Setting, SharedSettings } from '../../../extensions/postgres/database/shared-settings.ts';
import { SharedUsage } from '../../../extensions/postgres/database/shared-usage.ts';
import { describeUnreadable } from '../../../extensions/postgres/gateway/shared-setting.ts';
import { pglite } from '../../postgres.ts';

let lite: Awaited<ReturnType<typeof pglite>>;
let schemas = 0;
let schema: string;
beforeAll(async () => {
  lite = await pglite();
});
afterAll(() => lite.close());
beforeEach(async () => {
  schemas += 1;
  schema = `shared_${schemas}`;
  await migrate(lite.open(), schema);
});

const AWAY = new Error('away');
/** A database that rejects while `away()` says so. */
const unreliable = (away: () => boolean): Database => {
  const database = lite.open();
  const query: Database['query'] = async (text, values) =>
    away() ? Promise.reject(AWAY) : database.query(text, values);
  return { ...database, query, short: { query } };
};

it('a setting changes for all, and changes at once see each other', async () => {
  const [one, two] = [new SharedSettings(lite.open(), schema), new SharedSettings(lite.open(), schema)];
  expect(await one.read('tokens')).toEqual({ version: 0, value: null });
  const seen: Setting[] = [];
  const stop = two.follow(
    'tokens',
    (setting) => seen.push(setting),
    () => {},
  );
  const add = (name: string) => (value: unknown) => [...(Array.isArray(value) ? value : []), name];
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => one.change('tokens', add(name))));
  await expect.poll(() => seen.at(-1)?.version).toBe(4);
  stop();
  expect(new Set(seen.at(-1)?.value as string[])).toEqual(new Set(['a', 'b', 'c', 'd']));
  expect(await one.read('policy')).toEqual({ version: 0, value: null });
});

it('a policy that a running gateway could not read is known before it is published', async () => {
  const gateways = new Gateways(lite.open(), schema);
  const reads = (shape: z.ZodRawShape) => z.toJSONSchema(z.strictObject(shape), { io: 'input' });
  const rules = z.array(z.string()).default([]);
  const ends = [
    gateways.report({ name: 'old', reads: reads({ rules }) }),
    gateways.report({ name: 'new', reads: reads({ rules, until: z.number().optional() }) }),
  ];
  const names = async () => (await gateways.running()).map(({ name }) => name);
  await expect.poll(names).toEqual(['new', 'old']);
  expect(await gateways.withoutReading({ rules: ['a'] })).toEqual([]);
  const [unable, ...others] = await gateways.withoutReading({ until: 7 });
  expect([unable?.name, others]).toEqual(['old', []]);
  expect(describeUnreadable(unable?.error).key).toBe('until');
  // One that was killed counts as ended after a while.
  await lite
    .open()
    .query(`update ${schema}.gateway set seen_at = now() - interval '1 minute' where name = 'old'`);
  expect(await gateways.withoutReading({ until: 7 })).toEqual([]);
  for (const end of ends) await end();
  expect(await names()).toEqual([]);
});

it('no pattern that a gateway reported is tried: it could take for ever', async () => {
  const gateways = new Gateways(lite.open(), schema);
  const text = { pattern: '^(a+)+$', type: 'string' };
  const end = gateways.report({
    name: 'slow',
    reads: { type: 'object', properties: { a: text }, patternProperties: { '^(a+)+$': { type: 'number' } } },
  });
  await expect.poll(async () => (await gateways.running()).length).toBe(1);
  const long = `${'a'.repeat(100)}!`;
  expect(await gateways.withoutReading({ a: long, [long]: long })).toEqual([]);
  await end();
});

it('a failed change changes nothing', async () => {
  const settings = new SharedSettings(lite.open(), schema);
  await settings.change('tokens', () => ['kept']);
  const failing = () => {
    throw new Error('refused');
  };
  await expect(settings.change('tokens', failing)).rejects.toThrow('refused');
  expect(await settings.read('tokens')).toEqual({ version: 1, value: ['kept'] });
});

it('counts of several gateways add up, window by window', async () => {
  let now = 60_000;
  const usages = [0, 1, 2].map(() => new SharedUsage(lite.open(), schema, () => now));
  const counters = usages.map((usage) => usage.counter('calls', 60_000));
  for (const counter of counters) await counter.penalty('alice', 10);
  await counters[0]!.penalty('bob', 1);
  for (const usage of usages) await usage.exchange();
  // The first gateway exchanged before the others had: it learns of them with its next call.
  expect((await counters[2]!.get('alice'))?.consumedPoints).toBe(30);
  await counters[0]!.penalty('alice', 1);
  await usages[0]!.exchange();
  expect(await counters[0]!.get('alice')).toEqual({ consumedPoints: 31, msBeforeNext: 60_000 });
  expect((await counters[0]!.get('bob'))?.consumedPoints).toBe(1);
  now = 119_999;
  expect((await counters[0]!.get('alice'))?.msBeforeNext).toBe(1);
  now = 120_000;
  expect(await counters[0]!.get('alice')).toBeNull();
  expect((await counters[0]!.penalty('alice', 2)).consumedPoints).toBe(2);
  for (const usage of usages) await usage.close();
});

it('counts go on while the database is away, and are added once it is back', async () => {
  let away = true;
  const usage = new SharedUsage(
    unreliable(() => away),
    schema,
    () => 0,
  );
  const other = new SharedUsage(lite.open(), schema, () => 0);
  const [own, others] = [usage.counter('bytes', 60_000), other.counter('bytes', 60_000)];
  await own.penalty('alice', 5);
  await usage.exchange();
  expect((await own.penalty('alice', 2)).consumedPoints).toBe(7);
  away = false;
  await usage.exchange();
  await others.penalty('alice', 1);
  await other.exchange();
  expect((await others.get('alice'))?.consumedPoints).toBe(8);
  await usage.close();
  await other.close();
});

const linesOf = async () => {
  const lines: string[] = [];
  for await (const line of SharedLog.lines(lite.open(), schema)) lines.push(line);
  return lines;
};

it('the audit log keeps each gateway’s lines in order, and loses none while the database is away', async () => {
  let away = true;
  const said: string[] = [];
  let lost = 0;
  const log = new SharedLog({
    database: unreliable(() => away),
    schema,
    writer: 'a',
    log: (message) => said.push(message),
    onLost: () => {
      lost += 1;
    },
  });
  for (let at = 0; at < 2_500; at += 1) log.write(`{"a":${at}}\n`);
  await expect.poll(() => log.failing()).toBe(true);
  away = false;
  await expect.poll(() => log.failing()).toBe(false);
  await log.close();
  expect(await linesOf()).toEqual(Array.from({ length: 2_500 }, (_, at) => `{"a":${at}}`));
  expect({ lost, said: said.length }).toEqual({ lost: 0, said: 1 });
});

it('a batch whose answer was lost is written once', async () => {
  const database = lite.open();
  let answersLost = 1;
  const query: Database['query'] = async (text, values) => {
    const rows = await database.query(text, values);
    answersLost -= 1;
    if (answersLost >= 0) throw AWAY;
    return rows as never;
  };
  const forgetful: Database = { ...database, short: { query } };
  const log = new SharedLog({ database: forgetful, schema, writer: 'a', log: () => {}, onLost: () => {} });
  log.write('{"a":1}\n');
  await log.close();
  expect(await linesOf()).toEqual(['{"a":1}']);
});
