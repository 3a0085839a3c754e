/**
 * Attacks on who gets in: streams that outlive their token, sessions of others, requests that break a parser, forged
 * addresses, pages of other sites.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeToken } from '../../extensions/http/auth/tokens.ts';
import { examples, type Workplace, workplace } from '../acceptance/command.ts';
import { type HttpServer, serveHttp } from '../acceptance/http-server.ts';
import { endWithTest } from '../end-with-test.ts';
import { ENVELOPE, initializeParams } from '../src/mcp/raw.ts';
import { answerTo, rawPost, rpc, sendFrom, silent, tokenOf } from './http-server.ts';

const PROXY = '127.0.0.9';
/** A second is promised, but a machine that runs tests is busy; a stream that nobody ends stays for minutes. */
const LATE_MS = 45_000;
const LIST = rpc('tools/call', { name: 'list_skills', arguments: { limit: 1 } });
const INITIALIZE = rpc('initialize', initializeParams('2025-06-18'));
const LISTEN = rpc('subscriptions/listen', {
  notifications: { resourcesListChanged: true },
  _meta: ENVELOPE,
});

let place: Workplace;
let server: HttpServer;
let file: string;
let alice: string;
let bob: string;

beforeAll(async () => {
  place = workplace();
  file = join(place.folder, 'tokens.json');
  alice = await tokenOf(file, 'alice');
  bob = await tokenOf(file, 'bob');
  place.write(
    'skillgate.config.json',
    JSON.stringify({
      http: { trustedProxies: ['127.0.0.8/29'] },
      auth: { tokens: 'tokens.json' },
      policy: { default: 'allow' },
      telemetry: { audit: 'audit.log' },
    }),
  );
  server = await serveHttp(place, examples);
});
afterAll(() => server.end());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const log = () =>
  existsSync(join(place.folder, 'audit.log')) ? readFileSync(join(place.folder, 'audit.log'), 'utf8') : '';
const entries = (): Record<string, unknown>[] =>
  log()
    .split('\n')
    .filter((line) => line.includes('"access"'))
    .map((line) => JSON.parse(line));
const open = async (token: string) => {
  const opened = await sendFrom(server.url, { headers: bearer(token), body: INITIALIZE });
  expect(opened.status).toBe(200);
  return { ...bearer(token), 'mcp-session-id': String(opened.headers['mcp-session-id']) };
};

/** The token, once the server has read it. */
async function known(made: Promise<string>): Promise<string> {
  const token = await made;
  const call = () => sendFrom(server.url, { headers: bearer(token), body: LIST });
  await expect.poll(async () => (await call()).status).toBe(200);
  return token;
}

/** An open stream; `closedAt` resolves with the time when the server ends it. */
async function stream(text: string) {
  const socket = await silent(server.url, text);
  endWithTest(() => socket.destroy());
  const closedAt = new Promise<number>((resolve) => socket.once('close', () => resolve(Date.now())));
  const head = await new Promise<string>((resolve) =>
    socket.once('data', (chunk) => resolve(chunk.toString('latin1'))),
  );
  expect(head).toMatch(/^HTTP\/1\.1 200 .*text\/event-stream/s);
  socket.resume();
  return { closedAt };
}

const get = (headers: Readonly<Record<string, string>>) =>
  `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
const listen = (token: string) =>
  rawPost(LISTEN, {
    ...bearer(token),
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  });

describe('an open stream', () => {
  it.each([
    ['of a session', async (token: string) => get(await open(token))],
    ['of 2026-07-28', async (token: string) => listen(token)],
  ])('%s ends within a second of the revocation of its token', async (_, text) => {
    const name = `leaver-${Math.random().toString(36).slice(2, 8)}`;
    const { closedAt } = await stream(await text(await known(tokenOf(file, name))));
    await revokeToken(file, name, new Date());
    const revoked = Date.now();
    expect((await closedAt) - revoked).toBeLessThan(LATE_MS);
    await expect
      .poll(() => entries().some((entry) => entry.who === name && entry.reject === 'revoked'))
      .toBe(true);
  });

  it('ends within a second of the expiry of its token', async () => {
    const expires = new Date(Date.now() + 20_000);
    const name = `brief-${expires.getTime()}`;
    const { closedAt } = await stream(listen(await known(tokenOf(file, name, expires))));
    const ended = await closedAt;
    expect(ended).toBeGreaterThanOrEqual(expires.getTime());
    expect(ended - expires.getTime()).toBeLessThan(LATE_MS);
  });
});

describe('requests without a valid token', () => {
  const GUESSES = 40;
  /** The least time that as many take at one address, ms; timers may be a little early. */
  const MIN_MS = (GUESSES - 1) * 9;

  it('are answered one after another for each address, and keep no other caller waiting', async () => {
    const start = Date.now();
    const guesses = Promise.all(
      Array.from({ length: GUESSES }, () =>
        sendFrom(server.url, { headers: bearer('no'.repeat(20)), body: LIST, from: '127.0.0.6' }).then(
          ({ status }) => status,
        ),
      ),
    );
    const { status } = await sendFrom(server.url, { headers: bearer(alice), body: LIST, from: '127.0.0.6' });
    expect(status).toBe(200);
    expect(new Set(await guesses)).toEqual(new Set([401]));
    expect(Date.now() - start).toBeGreaterThan(MIN_MS);
  });
});

describe('a session', () => {
  it('does not exist for another principal, nor without a token', async () => {
    const headers = await open(alice);
    const call = { body: LIST };
    expect((await sendFrom(server.url, { ...call, headers })).status).toBe(200);
    const foreign = { ...headers, ...bearer(bob) };
    const never = { ...bearer(bob), 'mcp-session-id': 'A'.repeat(32) };
    const [stolen, unknown] = [
      await sendFrom(server.url, { ...call, headers: foreign }),
      await sendFrom(server.url, { ...call, headers: never }),
    ];
    expect(stolen.status).toBe(404);
    expect(stolen.text).toBe(unknown.text);
    expect((await sendFrom(server.url, { method: 'GET', headers: foreign })).status).toBe(404);
    expect((await sendFrom(server.url, { method: 'DELETE', headers: foreign })).status).toBe(404);
    expect(
      (await sendFrom(server.url, { ...call, headers: { 'mcp-session-id': headers['mcp-session-id'] } }))
        .status,
    ).toBe(401);
    expect((await sendFrom(server.url, { ...call, headers })).status).toBe(200);
    expect((await sendFrom(server.url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await sendFrom(server.url, { ...call, headers })).status).toBe(404);
  });

  it('gives way to newer ones of its principal only', async () => {
    const mine = await open(bob);
    const first = await open(alice);
    // A principal has 64.
    for (let more = 0; more < 70; more++) await open(alice);
    expect((await sendFrom(server.url, { body: LIST, headers: first })).status).toBe(404);
    expect((await sendFrom(server.url, { body: LIST, headers: mine })).status).toBe(200);
  });
});

describe('a request that no parser should pass on', () => {
  const headers = () => `authorization: Bearer ${alice}\r\nconnection: close\r\n`;
  it.each([
    [
      'a host with a user',
      () => `GET /mcp HTTP/1.1\r\nhost: user@localhost\r\n${headers()}\r\n`,
      400,
      'host',
    ],
    ['TRACE', () => `TRACE /mcp HTTP/1.1\r\nhost: localhost\r\n${headers()}\r\n`, 405, 'method'],
    ['PUT', () => `PUT /mcp HTTP/1.1\r\nhost: localhost\r\n${headers()}\r\n`, 405, 'method'],
    [
      'too many headers',
      () => `GET /mcp HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(200)}${headers()}\r\n`,
      431,
      'headers',
    ],
    [
      'too long headers',
      () => `GET /mcp HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers',
    ],
    ['no HTTP', () => 'hello\r\n\r\n', 400, 'malformed'],
  ])('because of %s gets an answer and a line of the log', async (_, text, status, reject) => {
    const logged = () => entries().filter((entry) => entry.reject === reject && entry.status === status);
    const before = logged().length;
    expect(await answerTo(server.url, text())).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await expect.poll(() => logged().length).toBeGreaterThan(before);
    expect(logged().at(-1)).toMatchObject({ status, remote: '127.0.0.1' });
    expect((await sendFrom(server.url, { body: LIST, headers: bearer(alice) })).status).toBe(200);
  });
});

describe('an address', () => {
  const remoteOf = async (from: string, forwarded: string, path: string) => {
    const url = new URL(path, server.url).href;
    await sendFrom(url, { method: 'GET', from, headers: { 'x-forwarded-for': forwarded } });
    await expect.poll(() => entries().some((entry) => entry.path === path)).toBe(true);
    return entries().findLast((entry) => entry.path === path)?.remote;
  };

  it('cannot be forged by a client', async () => {
    expect(await remoteOf('127.0.0.1', '203.0.113.7', '/a')).toBe('127.0.0.1');
  });

  it('is what a trusted proxy saw, whatever its client wrote', async () => {
    expect(await remoteOf(PROXY, '203.0.113.7', '/b')).toBe('203.0.113.7');
    expect(await remoteOf(PROXY, '198.51.100.1, 203.0.113.7', '/c')).toBe('203.0.113.7');
    expect(await remoteOf(PROXY, '203.0.113.7, 127.0.0.10', '/d')).toBe('203.0.113.7');
    expect(await remoteOf(PROXY, 'unknown', '/e')).toBe(PROXY);
    expect(await remoteOf(PROXY, '2001:db8::1', '/f')).toBe('2001:db8::1');
  });
});

describe('a preflight request', () => {
  const ask = (origin: string, method: string) =>
    sendFrom(server.url, {
      method,
      headers: {
        ...(method === 'POST' ? bearer(alice) : { 'access-control-request-method': 'POST' }),
        origin,
      },
      body: method === 'POST' ? LIST : '',
    });

  it.each([
    'http://localhost:5173',
    'http://127.0.0.1:6274',
    'http://[::1]:1',
    'https://evil.example',
    'http://localhost.evil.example',
    'null',
  ])('of %s passes where the request itself does', async (origin) => {
    const [preflight, request] = [await ask(origin, 'OPTIONS'), await ask(origin, 'POST')];
    const passes = request.status === 200;
    expect(preflight.status).toBe(passes ? 204 : 403);
    for (const { headers } of [preflight, request])
      expect(headers['access-control-allow-origin']).toBe(passes ? origin : undefined);
    expect(passes).toBe(!origin.includes('evil') && origin !== 'null');
  });
});
