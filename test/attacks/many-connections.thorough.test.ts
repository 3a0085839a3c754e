/**
 * Attacks with more connections than the server has room for: silent ones and slow ones, of one address and of forty.
 * Everyone else is answered at every moment; how soon, `bench/` measures.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examples, type Workplace, workplace } from '../acceptance/command.ts';
import { type HttpServer, serveHttp } from '../acceptance/http-server.ts';
import { crowd, memoryOf, rpc, sendFrom, tokenOf } from './http-server.ts';

const MANY = 2_000;
/** Least requests of others during an attack. */
const ROUNDS = 300;
/** Memory that may be kept when the crowd has left, MiB: a heap that was large once. A leak of 40 KiB each would be more. */
const KEPT_MB = 256;

const SEARCH = rpc('tools/call', { name: 'search_skills', arguments: { query: 'bulk mails bounce' } });

let place: Workplace;
let token: string;

let server: HttpServer;

beforeAll(async () => {
  place = workplace();
  token = await tokenOf(join(place.folder, 'tokens.json'), 'alice');
  server = await serveHttp(
    place,
    examples,
    ...['--set', 'auth.tokens=tokens.json', '--set', 'policy.default=allow'],
  );
  while ((await search()) !== 200) await sleep(100);
});
afterAll(async () => {
  expect((await server.end()).code).toBe(0);
});

const search = async () =>
  (
    await sendFrom(server.url, {
      headers: { authorization: `Bearer ${token}` },
      body: SEARCH,
      from: '127.0.0.8',
    })
  ).status;
const probe = async (path: string) =>
  (await sendFrom(new URL(path, server.url).href, { method: 'GET', from: '127.0.0.99' })).status;

it.each([1, 40])('connections of %i addresses keep no other address waiting', async (addresses) => {
  const before = memoryOf(server.pid);
  const attackers = await Promise.all([
    crowd(server.url, { count: MANY, addresses }),
    crowd(server.url, {
      count: MANY,
      addresses,
      text: 'GET /',
      drip: 'x',
    }),
  ]);
  // More than there is room for, again and again: others take the places of those that the server closed.
  const isOver = () => attackers.every(({ opened }) => opened() > MANY);
  for (let round = 0; round < ROUNDS || !isOver(); round++) {
    expect(await probe(round % 2 === 0 ? '/healthz' : '/readyz')).toBe(200);
    if (round % 10 === 0) expect(await search()).toBe(200);
    await sleep(20);
  }
  for (const attacker of attackers) await attacker.end();
  await expect.poll(() => memoryOf(server.pid) - before).toBeLessThan(KEPT_MB);
});

it('a connection that sends nothing, or a part of what is expected, is closed within ten seconds', async () => {
  const texts = ['', 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n'];
  const crowds = await Promise.all(
    texts.map((text) => crowd(server.url, { count: 1, addresses: 1, text, drip: 'x' })),
  );
  // It is opened again once it was closed.
  for (const { opened, end } of crowds) {
    await expect.poll(opened).toBeGreaterThan(1);
    await end();
  }
});
