/** Serving over HTTP: accepted and refused requests, and shutdown. */

import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HttpOptions, serveOverHttp } from '../../../extensions/http/http.ts';
import { AppError } from '../../../src/app/app-error.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { ChangeBus } from '../../../src/mcp/changes.ts';
import { mcpServerFactory, type ServerFeature } from '../../../src/mcp/server.ts';
import type { Page } from '../../../src/serve/http.ts';
import { fakeGateway, SKILLS } from '../../src/mcp/fake-gateway.ts';
import type { Era } from '../../src/mcp/harness.ts';
import { ENVELOPE } from '../../src/mcp/raw.ts';
import { ask, post } from '../../src/serve/stdio/ask.ts';

const LIST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_skills', arguments: {} },
});

/** A server on a free port, closed after the test. */
async function serve(
  gateway: () => Promise<Gateway> = async () => fakeGateway(SKILLS),
  host = '127.0.0.1',
  options: Partial<HttpOptions> = {},
) {
  const signals = new EventEmitter();
  const logged: string[] = [];
  const changes = new EventEmitter();
  const log = (message: string) => logged.push(message);
  const resources: ServerFeature = {
    attach: ({ server }) => server.registerCapabilities({ resources: { listChanged: true } }),
  };
  const factory = mcpServerFactory({
    gateway,
    version: '0',
    log,
    guideTimeoutMs: 0,
    features: [resources],
  });
  let ended: ReturnType<typeof serveOverHttp> | undefined;
  const url = await new Promise<string>((onListening, reject) => {
    ended = serveOverHttp(factory, {
      log,
      host,
      port: 0,
      ...options,
      signals,
      onListening,
      changes: new ChangeBus(async () => ({
        onChange(listener) {
          changes.on('change', listener);
          return () => changes.off('change', listener);
        },
      })),
    });
    ended.catch(reject);
  });
  const end = async () => {
    signals.emit('SIGTERM');
    return ended;
  };
  onTestFinished(async () => void (await end()));
  const origin = new URL(url).origin;
  return { url, origin, port: new URL(url).port, signals, changes, logged, ended, end };
}

async function connect(url: string, era: Era): Promise<Client> {
  const mode = era === 'legacy' ? era : { pin: era };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

describe('accepted and refused callers', () => {
  it('a caller that names the configured loopback address', async () => {
    const { url, port } = await serve(undefined, '127.0.0.2');
    expect((await post(url, LIST, { host: `127.0.0.2:${port}` })).status).toBe(200);
    expect((await post(url, LIST, { host: `127.0.0.3:${port}` })).status).toBe(403);
  });
});

describe('refused requests', () => {
  it('other content types, paths and methods', async () => {
    const { url, origin } = await serve();
    expect((await post(url, LIST, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await post(`${origin}/`, LIST)).toMatchObject({
      status: 404,
      text: expect.stringContaining('/mcp'),
    });
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await ask(url, { method, headers: { accept: 'text/event-stream' } })).status).toBe(405);
  });
});

describe('an answer', () => {
  it('that is too large is replaced by an error that says what to do', async () => {
    const { url } = await serve(undefined, undefined, { limits: { maxResponseBytes: 500 } });
    const { text } = await post(url, LIST);
    expect(text).toContain('"id":1');
    expect(text).toContain('Ask for less');
  });

  it('that takes too long is cancelled with an error', async () => {
    const limits = { requestTimeoutMs: 50 };
    const { url, logged } = await serve(() => new Promise(() => {}), undefined, { limits });
    const late = {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_001, message: 'The answer took longer than 0.05 s and was cancelled.' },
    };
    // On older revisions the answer is a stream once one has started; on the newer one it is a single body.
    expect((await post(url, LIST)).text).toContain(JSON.stringify(late));
    const modern = JSON.parse(LIST);
    modern.params._meta = ENVELOPE;
    const answer = await post(url, JSON.stringify(modern), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'list_skills',
    });
    expect(answer.status).toBe(504);
    expect(JSON.parse(answer.text)).toEqual(late);
    expect(logged).toEqual([]);
  });

  it('of a page that takes too long is an error of the page', async () => {
    const page: Page = {
      path: '/page',
      headers: {},
      file: () => null,
      callsOf: () => 1,
      answer: () => new Promise(() => {}),
      refusal: (_, error) => ({ error }),
    };
    const { origin } = await serve(undefined, undefined, { pages: [page], limits: { requestTimeoutMs: 50 } });
    expect(await ask(`${origin}/page/api/x`)).toMatchObject({
      status: 504,
      text: '{"error":"The answer took longer than 0.05 s and was cancelled."}',
    });
  });

  it('waits for an index that is being opened, while readiness reports it', async () => {
    let reason: string | null = 'The index is being opened.';
    const { origin } = await serve(undefined, undefined, { notReady: () => reason });
    expect(await ask(`${origin}/readyz`)).toMatchObject({
      status: 503,
      text: '{"status":"not ready","reason":"The index is being opened."}',
    });
    reason = null;
    expect(await ask(`${origin}/readyz`)).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  });

  it('says which changes of the folders are served, and how long the others have been waiting', async () => {
    const folderChanges = () => ({ seen: 5, committed: 3, pending: 2, pendingMs: 1_240 });
    const { origin } = await serve(undefined, undefined, { folderChanges });
    expect(JSON.parse((await ask(`${origin}/readyz`)).text)).toEqual({
      status: 'ready',
      changes: { seen: 5, committed: 3, pending: 2, pending_seconds: 1.2 },
    });
  });

  it('is ready with a warning while something is wrong', async () => {
    const { origin } = await serve(undefined, undefined, { warning: () => 'The catalog may be old.' });
    expect(await ask(`${origin}/readyz`)).toMatchObject({
      status: 200,
      text: '{"status":"ready","warning":"The catalog may be old."}',
    });
  });
});

describe('listening', () => {
  const attempt = (host: string, port: number) =>
    serveOverHttp(() => Promise.reject(new Error('not asked')), {
      log: () => {},
      host,
      port,
      signals: new EventEmitter(),
    });

  it.each(['0.0.0.0', '::', '192.168.1.1', '10.0.0.1', '::ffff:10.0.0.1', 'skills.example', '', '127.1'])(
    'not at %j, which others could reach',
    async (host) => {
      await expect(attempt(host, 0)).rejects.toMatchObject({ code: 'HOST_PUBLIC' });
    },
  );

  it.each([-1, 65_536, 1.5, Number.NaN])('not on port %d', async (port) => {
    await expect(attempt('127.0.0.1', port)).rejects.toMatchObject({ code: 'PORT_INVALID' });
  });

  it('not on a port in use: the message says what to do', async () => {
    const { port } = await serve();
    const failure = await attempt('127.0.0.1', Number(port)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({
      code: 'PORT_TAKEN',
      message: `Port ${port} of 127.0.0.1 is in use. Choose another with --port, or 0 for any free port.`,
    });
  });

  it('at ::1 if the machine has it', async ({ skip }) => {
    const probe = createServer();
    const has = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(0, '::1', () => probe.close(() => resolve(true)));
    });
    if (!has) skip();
    const { url, origin } = await serve(undefined, '::1');
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/mcp$/);
    expect((await ask(`${origin}/healthz`)).status).toBe(200);
  });
});

describe('health', () => {
  it('is ok while requests are accepted, independent of the catalog', async () => {
    const { origin } = await serve(() => new Promise(() => {}));
    expect(await ask(`${origin}/healthz`)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });
});

describe('shutdown', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('starts at %s, and does not handle the next one', async (name) => {
    const { signals, ended } = await serve();
    signals.emit(name);
    expect(await ended).toBe(name);
    expect([signals.listenerCount('SIGINT'), signals.listenerCount('SIGTERM')]).toEqual([0, 0]);
  });

  it('waits for open requests, and refuses new ones', async () => {
    let open: (gateway: Gateway) => void = () => {};
    const late = new Promise<Gateway>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    const { url, origin, end } = await serve(() => {
      asked += 1;
      return late;
    });
    const waiting = post(url, LIST);
    // The guide asks for the gateway once, the call once more.
    while (asked < 2) await new Promise((resolve) => setImmediate(resolve));
    const ended = end();
    expect(await ask(`${origin}/readyz`)).toMatchObject({
      status: 503,
      text: expect.stringContaining('shutting down'),
    });
    const refused = await post(url, LIST);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5', connection: 'close' } });
    expect(JSON.parse(refused.text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 } });
    open(fakeGateway(SKILLS));
    expect((await waiting).text).toContain('"total":4');
    expect(await ended).toBe('SIGTERM');
    await expect(ask(`${origin}/healthz`)).rejects.toThrow();
  });

  it('waits for open requests to interfaces that want it, and refuses new ones', async () => {
    const headers = {};
    const sent = { status: 200, headers, bytes: Buffer.from('late') };
    let answer: (answered: typeof sent) => void = () => {};
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const page: Page = {
      path: '/page',
      headers,
      isAwaited: true,
      file: () => sent,
      callsOf: () => 1,
      answer() {
        asked();
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
      refusal: (_, error) => ({ error }),
    };
    const { origin, end } = await serve(undefined, undefined, { pages: [page] });
    const waiting = ask(`${origin}/page/api/x`);
    await arrived;
    const ended = end();
    for (const path of ['/page/api/x', '/page/'])
      expect(await ask(origin + path)).toMatchObject({
        status: 503,
        text: expect.stringContaining('shutting down'),
      });
    answer(sent);
    expect(await waiting).toMatchObject({ status: 200, text: 'late' });
    expect(await ended).toBe('SIGTERM');
  });

  it('does not wait for subscriptions, which are notified of every change until then', async () => {
    const { url, changes, end } = await serve();
    const client = await connect(url, '2026-07-28');
    const announced = new Promise((resolve) =>
      client.setNotificationHandler('notifications/resources/list_changed', resolve),
    );
    const subscription = await client.listen({ resourcesListChanged: true });
    changes.emit('change');
    await announced;
    expect(await end()).toBe('SIGTERM');
    await subscription.closed;
    expect(changes.listenerCount('change')).toBe(0);
    await client.close();
  });
});
