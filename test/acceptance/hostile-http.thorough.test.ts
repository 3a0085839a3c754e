/**
 * Promise: slow, numerous, oversized, rebound or foreign clients do not keep others from being answered, and shutdown
 * answers all open requests.
 */

import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../src/serve/http/certificate.ts';
import { ask, post } from '../src/serve/stdio/ask.ts';
import { examples, type Workplace, workplace } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

const SEARCH = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_skills', arguments: { query: 'bulk mails bounce although SPF passes' } },
});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A connection that has sent `text`, and what it received; `closed` resolves when the server closes it. */
async function connection(url: string, sent = '') {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  ends.push(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(sent);
  return { socket, closed };
}

describe('one server', () => {
  let place: Workplace;
  let server: HttpServer;
  let token: string;
  beforeAll(async () => {
    place = workplace();
    const made = await place.run('token', 'create', 'ci', '--file', 'tokens.json');
    token = made.stdout.trim();
    server = await serveHttp(
      place,
      examples,
      ...['--set', 'auth.tokens=tokens.json', '--set', 'policy.default=allow'],
      ...['--set', 'limits.maxConnections=1200'],
      ...['--set', 'http.allowedHosts=skills.example'],
      ...['--set', 'http.allowedOrigins=https://app.example'],
    );
    await post(server.url, list(1), headers());
  });
  afterAll(async () => {
    expect((await server.end()).code).toBe(0);
    place.remove();
  });

  const headers = () => ({ authorization: `Bearer ${token}` });
  const list = (limit: number) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'list_skills', arguments: { limit } },
    });
  const works = async () => expect((await post(server.url, list(1), headers())).status).toBe(200);

  it('disconnects a client that sends its headers too slowly', async () => {
    const { socket, closed } = await connection(server.url, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n');
    const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 500);
    ends.push(() => clearInterval(drip));
    await works();
    expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
    await works();
  });

  it('disconnects a client that sends nothing', async () => {
    const { closed } = await connection(server.url);
    expect(await closed).toMatch(/^HTTP\/1\.1 408 |^$/);
  });

  it('answers while a thousand connections are open', async () => {
    const sockets: Socket[] = [];
    for (let batch = 0; batch < 10; batch++) {
      const opened = await Promise.all(Array.from({ length: 100 }, () => connection(server.url)));
      sockets.push(...opened.map(({ socket }) => socket));
    }
    // As many as one caller may have at once (limits.callsInFlight).
    const calls = Array.from({ length: 16 }, () => post(server.url, list(1), headers()));
    for (const call of calls) expect((await call).status).toBe(200);
    expect(sockets).toHaveLength(1_000);
  });

  it('closes the connection that has been silent longest when there are too many, and answers', async () => {
    const first = await connection(server.url);
    for (let batch = 0; batch < 13; batch++)
      await Promise.all(Array.from({ length: 100 }, () => connection(server.url)));
    // Closed immediately without an answer: idle connections would get a timeout answer.
    expect(await first.closed).toBe('');
    await works();
  });

  it('refuses a too large body, with and without content-length', async () => {
    const long = await post(server.url, `{"pad":"${'x'.repeat(1_100_000)}"}`, headers());
    expect(long.status).toBe(413);
    expect(JSON.parse(long.text)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { closed } = await connection(server.url, head + chunk.repeat(270));
    expect(await closed).toMatch(/^HTTP\/1\.1 413 /);
    await works();
  });

  it.each([
    ['another host', { host: 'evil.example' }, 403],
    ['a configured host', { host: 'skills.example' }, 200],
    ['a foreign page', { origin: 'https://evil.example' }, 403],
    ['a page with a null origin', { origin: 'null' }, 403],
    ['a configured page', { origin: 'https://app.example' }, 200],
  ])('treats %s as it should, token or not', async (_, given, status) => {
    const answer = await post(server.url, list(1), { ...headers(), ...given });
    expect(answer.status).toBe(status);
  });

  it('answers preflight requests of configured pages and of this machine', async () => {
    const preflight = (origin: string) =>
      ask(server.url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
    const answer = await preflight('https://app.example');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
    expect((await preflight('https://evil.example')).status).toBe(403);
    expect((await preflight('http://localhost:1')).headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:1',
    });
  });

  it.each([
    ['not HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'endless headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
  ])('hangs up on %s', async (_, sent, answer) => {
    const { closed } = await connection(server.url, sent);
    expect(await closed).toMatch(answer);
    await works();
  });
});

describe('shutdown', () => {
  it('reports not ready, answers open requests, refuses new ones, and exits with 0', async () => {
    const place = workplace();
    ends.push(() => place.remove());
    const server = await serveHttp(place, examples);
    const { port } = new URL(server.url);
    const body = SEARCH;
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    // An open request: all but its last byte has been sent.
    const waiting = await connection(server.url, head + body.slice(0, -1));
    const origin = `http://127.0.0.1:${port}`;
    await expect.poll(async () => (await ask(`${origin}/readyz`)).status, { timeout: 30_000 }).toBe(200);
    const ended = server.end('SIGTERM');
    await expect.poll(async () => (await ask(`${origin}/readyz`)).status).toBe(503);
    expect((await post(server.url, SEARCH)).status).toBe(503);
    waiting.socket.write(body.slice(-1));
    expect(await waiting.closed).toContain('email-deliverability');
    expect(await ended).toMatchObject({ code: 0, stdout: '' });
    await expect(ask(`${origin}/healthz`)).rejects.toThrow();
  });
});

describe('a certificate', () => {
  it('is served to clients that trust it', async ({ skip }) => {
    const place = workplace();
    ends.push(() => place.remove());
    const certificate = makeCertificate(place.folder, 'localhost');
    if (certificate === null) return skip();
    const { cert, key, pem } = certificate;
    const server = await serveHttp(
      place,
      examples,
      ...['--set', `http.tls.cert=${cert}`, '--set', `http.tls.key=${key}`],
    );
    expect(server.url).toMatch(/^https:/);
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const sent = request(server.url, { method: 'POST', headers, ca: pem }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (part) => {
          answer += part;
        });
        response.on('end', () => resolve(answer));
      });
      sent.on('error', reject);
      sent.end(SEARCH);
    });
    expect(text).toContain('email-deliverability');
    expect(await server.end()).toMatchObject({ code: 0 });
  });

  it('that is invalid stops the start with a message', async () => {
    const place = workplace();
    ends.push(() => place.remove());
    const file = place.write('none.pem', 'none');
    const outcome = await place.run(
      ...['serve', '--http', '--port', '0', '--skills', examples],
      ...['--set', `http.tls.cert=${file}`, '--set', `http.tls.key=${file}`],
    );
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain('cannot be used');
  });
});
