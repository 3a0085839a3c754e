/**
 * Attacks on what a caller may cost: more bytes than its limit, answers that nobody reads, calls without end, absurd
 * paths, headers that lie about the request, work that outlives its connection.
 */

import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skillFile, type Workplace, workplace } from '../acceptance/command.ts';
import { type HttpServer, serveHttp } from '../acceptance/http-server.ts';
import { descendantsOf, SWITCHED_ON, sandboxed, writeSkill } from '../acceptance/script-server.ts';
import { endWithTest } from '../end-with-test.ts';
import { ENVELOPE, initializeParams } from '../src/mcp/raw.ts';
import { type Answered, memoryOf, rawPost, rpc, sendFrom, silent, tokenOf } from './http-server.ts';

const MIB = 2 ** 20;
/** Of the file that an attacker asks for. */
const FILE_BYTES = MIB;
const BYTES_PER_MINUTE = 24 * MIB;
/** So many that all their bytes together exceed the limit of one address. */
const CROWD = Array.from({ length: 14 }, (_, number) => `member-${number}`);
const BYTES_PER_ADDRESS = 256 * MIB;
const IN_FLIGHT = 8;
/** Long enough for a script to start on a busy machine. */
const REQUEST_TIMEOUT = '12s';
/** So many reads in one request that the answer does not fit into the buffers of a connection that is not read, some 4 MiB. */
const AT_ONCE = 4;

let place: Workplace;
let server: HttpServer;
/** A call whose answer has the whole file. */
let readBig = '';
const tokens = new Map<string, string>();

beforeAll(async () => {
  place = workplace();
  const file = join(place.folder, 'tokens.json');
  for (const name of ['alice', ...CROWD, 'erin', 'frank', 'grace', 'heidi'])
    tokens.set(name, await tokenOf(file, name));
  place.write('skills/big/SKILL.md', skillFile('big', 'Read a large file'));
  place.write('skills/big/references/big.md', 'all "work" and no play\n'.repeat(FILE_BYTES / 23));
  writeSkill(place, 'sleeper', { 'sleep.sh': 'sleep 321\n' });
  place.write(
    'skillgate.config.json',
    JSON.stringify({
      auth: { tokens: 'tokens.json' },
      policy: {
        default: 'allow',
        rules: [{ who: ['*'], allow: [{}], scripts: ['*'] }],
      },
      scripts: { ...SWITCHED_ON, timeout: '60s' },
      limits: {
        bytesPerMinute: '24MiB',
        callsInFlight: IN_FLIGHT,
        requestTimeout: REQUEST_TIMEOUT,
      },
    }),
  );
  server = await serveHttp(place, join(place.folder, 'skills'));
  const list = { ...as('heidi'), body: rpc('resources/list', {}) };
  const folder = async () =>
    /"(skill:[^"]*\/big)\/SKILL\.md"/.exec((await sendFrom(server.url, list)).text)?.[1];
  // The index may not be there yet.
  while ((await folder()) === undefined) await sleep(200);
  readBig = rpc('resources/read', { uri: `${await folder()}/references/big.md` });
});
afterAll(() => server.end());

const as = (name: string) => ({ headers: { authorization: `Bearer ${tokens.get(name)}` } });
const LIST = rpc('tools/call', { name: 'list_skills', arguments: {} });
const run = (id: string) =>
  rpc('tools/call', { name: 'run_script', arguments: { skill: 'sleeper', script: 'scripts/sleep.sh' } }, id);
const manyBig = () =>
  JSON.stringify(Array.from({ length: AT_ONCE }, (_, id) => ({ ...JSON.parse(readBig), id })));
const closed = (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy();
};
const sum = (answers: readonly Answered[]) => answers.reduce((bytes, answer) => bytes + answer.bytes, 0);
const health = () => sendFrom(new URL('/healthz', server.url).href, { method: 'GET', from: '127.0.0.99' });
const memory = () => memoryOf(server.pid) * MIB;
const sleepers = () => descendantsOf(server.pid).filter((command) => command.includes('sleep'));

describe('bytes', () => {
  it('never exceed the limit of a principal, however many calls it makes at once', async () => {
    const answers: Answered[] = [];
    for (let round = 0; round < 8; round++)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: IN_FLIGHT }, () =>
            sendFrom(server.url, { ...as('alice'), body: readBig, from: '127.0.0.2' }),
          ),
        )),
      );
    expect(sum(answers)).toBeGreaterThan(BYTES_PER_MINUTE / 2);
    expect(sum(answers)).toBeLessThan(BYTES_PER_MINUTE);
    const last = answers.at(-1);
    expect(last?.status).toBe(429);
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
    expect(last?.text).toContain('bytes per minute');
  });

  it('never exceed the limit of an address, however many principals it has', async () => {
    const answers: Answered[] = [];
    for (const name of CROWD)
      for (let call = 0; call < BYTES_PER_MINUTE / FILE_BYTES; call++)
        answers.push(await sendFrom(server.url, { ...as(name), body: readBig, from: '127.0.0.3' }));
    expect(sum(answers)).toBeGreaterThan(BYTES_PER_ADDRESS / 2);
    expect(sum(answers)).toBeLessThan(BYTES_PER_ADDRESS);
    expect(answers.some(({ text }) => text.includes('bytes of this address'))).toBe(true);
    const elsewhere = await sendFrom(server.url, { ...as(CROWD.at(-1)!), body: LIST, from: '127.0.0.4' });
    expect(elsewhere.status).toBe(200);
  });

  it('that no one reads neither grow the process nor slow it down', async () => {
    await health();
    const before = memory();
    const sockets = await Promise.all(
      Array.from({ length: 60 }, () =>
        silent(server.url, rawPost(readBig, as('erin').headers).repeat(4), '127.0.0.5'),
      ),
    );
    endWithTest(() => closed(sockets));
    let most = 0;
    for (let look = 0; look < 20; look++) {
      expect((await health()).status).toBe(200);
      most = Math.max(most, memory());
      await sleep(100);
    }
    expect(most - before).toBeLessThan(250 * MIB);
  });
});

describe('calls in flight', () => {
  it('are limited per principal, and others are answered', async () => {
    const open = await Promise.all(
      Array.from({ length: IN_FLIGHT / AT_ONCE }, () =>
        silent(server.url, rawPost(manyBig(), as('frank').headers), '127.0.0.6'),
      ),
    );
    const call = (name: string) => sendFrom(server.url, { ...as(name), body: LIST, from: '127.0.0.6' });
    await expect.poll(async () => (await call('frank')).status).toBe(429);
    expect((await call('frank')).text).toContain('limits.callsInFlight');
    expect((await call('heidi')).status).toBe(200);
    closed(open);
    await expect.poll(async () => (await call('frank')).status).toBe(200);
  });

  it('are free again when a connection ends that sent several without waiting', async () => {
    const calls = rawPost(manyBig(), as('grace').headers).repeat(IN_FLIGHT / AT_ONCE);
    const call = () => sendFrom(server.url, { ...as('grace'), body: LIST, from: '127.0.0.10' });
    const socket = await silent(server.url, calls, '127.0.0.10');
    await expect.poll(async () => (await call()).status).toBe(429);
    socket.destroy();
    const together = async () =>
      (await Promise.all(Array.from({ length: IN_FLIGHT }, call))).map(({ status }) => status);
    await expect.poll(together).toEqual(Array(IN_FLIGHT).fill(200));
  });

  it('count each call of a batch', async () => {
    const batch = Array.from({ length: IN_FLIGHT + 1 }, (_, id) => JSON.parse(rpc('tools/list', {}, id)));
    const answer = await sendFrom(server.url, { ...as('heidi'), body: JSON.stringify(batch) });
    expect(answer.status).toBe(429);
  });
});

describe('JSON of half a million levels', () => {
  it('is refused unread', async () => {
    const levels = 500_000;
    const body = '['.repeat(levels) + ']'.repeat(levels);
    const answer = await sendFrom(server.url, { ...as('heidi'), body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('nested more than 100 levels deep');
  });
});

describe('a path of 20,000 segments', () => {
  const path = 'a/'.repeat(20_000);
  it.each([
    ['tools/call', { name: 'read_reference', arguments: { skill: 'big', path } }],
    ['tools/call', { name: 'load_skill', arguments: { skill: `skill://${path}` } }],
    ['tools/call', { name: 'run_script', arguments: { skill: 'big', script: path } }],
    ['resources/read', { uri: `skill://${path}` }],
    ['skills/get', { uri: `skill://${path}` }],
    ['skills/read_reference', { name: 'big', reference: path }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: path }, argument: { name: 'x', value: '' } }],
  ])('is refused before any work by %s', async (method, params) => {
    const answer = await sendFrom(server.url, { ...as('heidi'), body: rpc(method, params, 7) });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ id: 7, error: { code: -32_602 } });
    expect(answer.text).toContain('256');
    expect(answer.bytes).toBeLessThan(1_000);
  });

  it('is a text like any other where it is no path', async () => {
    const params = { name: 'search_skills', arguments: { query: 'a/'.repeat(2_000) } };
    expect((await sendFrom(server.url, { ...as('heidi'), body: rpc('tools/call', params) })).status).toBe(
      200,
    );
  });
});

describe.runIf(sandboxed)('a header', () => {
  it('that names another method changes no limit', async () => {
    const { authorization } = as('grace').headers;
    const headers = { authorization, 'mcp-method': 'subscriptions/listen' };
    const answer = await sendFrom(server.url, { headers, body: run('late') });
    // Not by the time that a script may take, which is longer.
    expect(answer.text).toContain('was cancelled');
    const calls = Array.from({ length: IN_FLIGHT + 1 }, (_, id) =>
      sendFrom(server.url, { headers, body: run(`many-${id}`) }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });
});

describe.runIf(sandboxed)('work', () => {
  const modern = (body: string) => {
    const { params, ...message } = JSON.parse(body);
    return JSON.stringify({ ...message, params: { ...params, _meta: ENVELOPE } });
  };
  const ofModern = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'run_script',
  };
  const session = async () => {
    const opened = await sendFrom(server.url, {
      ...as('heidi'),
      body: rpc('initialize', initializeParams('2025-06-18')),
    });
    return { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  };

  it.each([
    ['2026-07-28', modern, async () => ofModern],
    ['an older revision', (body: string) => body, async () => ({})],
    ['a session', (body: string) => body, session],
  ])('of %s ends with its connection', async (_, shaped, more) => {
    const headers = { ...as('heidi').headers, ...(await more()) };
    const socket = await silent(server.url, rawPost(shaped(run('gone')), headers));
    // Before the request's own time is over.
    await expect.poll(() => sleepers().length, { timeout: 11_000, interval: 50 }).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => sleepers(), { timeout: 8_000, interval: 50 }).toEqual([]);
  });
});
