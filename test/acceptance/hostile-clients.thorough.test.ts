/**
 * Promise: for anything that a client sends over HTTP, it gets a fitting error or a correct answer. It never reads files
 * outside the skills or internal details, and the server keeps serving all others.
 */

import { request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ENVELOPE } from '../src/mcp/raw.ts';
import { ask, post } from '../src/serve/stdio/ask.ts';
import { examples, type Workplace, workplace } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

const SECRET = 'the-secret-next-to-the-skills';

let place: Workplace;
let server: HttpServer;
beforeAll(async () => {
  place = workplace();
  place.write('secret.txt', SECRET);
  server = await serveHttp(place, examples);
});
afterAll(async () => {
  const { code, stdout, stderr } = await server.end();
  expect(code).toBe(0);
  expect(stdout).toBe('');
  // Refused requests are not errors of the server.
  expect(stderr).not.toMatch(/Error|at .*\.js:\d/);
});

const listSkills = (id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_skills', arguments: { limit: 1 } },
});
afterEach(async () => {
  const answer = await post(server.url, JSON.stringify(listSkills()));
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('"total":32');
});

interface Reply {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The JSON-RPC message of an answer: a plain body, or the only event of a stream. */
function messageOf(text: string): Reply {
  const data = /^data: ([^\r\n]*)/m.exec(text)?.[1];
  return JSON.parse(data ?? text);
}

const call = async (method: string, params: unknown) =>
  messageOf((await post(server.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).text);

/** The same on 2026-07-28, where headers name the method and the target. */
async function modern(method: string, params: Record<string, unknown>): Promise<Reply> {
  const target = params.uri ?? params.name;
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof target === 'string' && { 'mcp-name': encodeURI(target) }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } });
  return messageOf((await post(server.url, body, headers)).text);
}

describe('bodies that are not requests', () => {
  it.each([
    ['invalid JSON', '{"jsonrpc":', -32700],
    ['a text', '"tools/list"', -32600],
    ['a number', '1', -32600],
    ['no version', '{"id":1,"method":"tools/list"}', -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600],
    ['a method that is not a string', '{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', -32600],
    ['an empty batch', '[]', -32600],
  ])('%s', async (_, body, code) => {
    const answer = await post(server.url, body);
    expect(answer.status).toBe(400);
    expect([code, -32700]).toContain(messageOf(answer.text).error?.code);
  });

  it('bytes that are not text', async () => {
    expect((await post(server.url, new Uint8Array([0xff, 0xfe, 0, 0xc3, 0x28]))).status).toBe(400);
  });

  it('any JSON is answered with a status and a message, without internal details', async () => {
    const near = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1', 2),
        id: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.integer()),
        method: fc.constantFrom(
          'tools/call',
          'initialize',
          'skills/list',
          'skills/get',
          '__proto__',
          'x',
          '',
        ),
        params: fc.jsonValue({ maxDepth: 3 }),
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      fc.json(),
      near.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const answer = await post(server.url, text);
        expect(answer.status).toBeGreaterThanOrEqual(200);
        expect(answer.status).toBeLessThan(500);
        expect(answer.text).not.toMatch(/at .*\.js:\d|node_modules/);
      }),
      { numRuns: 150, seed: 11 },
    );
  });
});

describe('requests of the wrong kind', () => {
  it.each([
    ['an unknown method', 'no/such/method', {}, -32601],
    ['a method with the name of a prototype', '__proto__', {}, -32601],
    ['an unknown tool', 'tools/call', { name: 'no_such_tool', arguments: {} }, -32602],
    ['a tool without a name', 'tools/call', {}, -32602],
    ['arguments that are a text', 'tools/call', { name: 'list_skills', arguments: 'all' }, -32602],
    ['a cursor that is a number', 'skills/list', { cursor: 7 }, -32602],
  ])('%s', async (_, method, params, code) => {
    for (const ask of [call, modern]) expect((await ask(method, params)).error?.code).toBe(code);
  });

  it.each([
    ['a resource without a URI', 'resources/read', {}],
    ['a resource whose URI is a number', 'resources/read', { uri: 7 }],
    ['a completion of nothing', 'completion/complete', {}],
  ])('%s: the answer says which parameter is wrong', async (_, method, params) => {
    const error = { code: -32602, message: expect.stringMatching(/`(?:uri|ref)`/) };
    for (const ask of [call, modern]) expect((await ask(method, params)).error).toMatchObject(error);
  });

  it.each(['', 'x', '%', '\u0000', 'eyJvZmZzZXQiOjF9', 'x'.repeat(100_000)])(
    'an invalid cursor: %.20j',
    async (cursor) => {
      expect((await modern('skills/list', { cursor })).error?.code).toBe(-32602);
      const { result } = await call('tools/call', { name: 'list_skills', arguments: { cursor } });
      // Models fill in every argument, so an empty one counts as not given.
      expect(result?.isError === true).toBe(cursor !== '');
    },
  );

  it.each([Number.MAX_SAFE_INTEGER, -1, 'x'.repeat(100_000), '\u2028\u0000', '__proto__'])(
    'an id is repeated as it came: %.20j',
    async (id) => {
      const reply = messageOf((await post(server.url, JSON.stringify(listSkills(id)))).text);
      expect(reply.id).toBe(id);
      expect(reply.result).toBeDefined();
    },
  );
});

describe('hostile paths', () => {
  const ROOT = 'skill://examples/email-deliverability';
  const uris = [
    `${ROOT}/../../../../../secret.txt`,
    `${ROOT}/%2e%2e/%2e%2e/secret.txt`,
    `${ROOT}/..%2f..%2fsecret.txt`,
    `${ROOT}/..\\..\\secret.txt`,
    `${ROOT}/%00`,
    `${ROOT}/SKILL.md%00.txt`,
    `${ROOT}/%ff`,
    `${ROOT}/%`,
    `${ROOT}//etc/passwd`,
    `${ROOT}/SKILL.md/`,
    `${ROOT}/SKILL.md?x=1`,
    `${ROOT}/references/`,
    `${ROOT}/${'a/'.repeat(5_000)}x`,
    'skill://',
    'skill:///SKILL.md',
    'skill://examples',
    'skill://EXAMPLES/email-deliverability/SKILL.md/..',
    'skill://examples@host/email-deliverability/none.md',
    'file:///etc/passwd',
    'file://localhost/etc/passwd',
    'http://127.0.0.1/',
    'SKILL.md',
    '',
  ];

  it.each(uris)('no file at %.60s', async (uri) => {
    for (const ask of [call, modern])
      for (const method of ['resources/read', 'resources/directory/read']) {
        // A folder may be listed by a URI that ends with a slash.
        if (method === 'resources/directory/read' && uri.endsWith('/references/')) continue;
        const { error } = await ask(method, { uri });
        expect(error).toMatchObject({ code: expect.any(Number) });
        expect([-32602, -32601, -32002, -32020]).toContain(error?.code);
        expect(error?.message).not.toContain(SECRET);
      }
    expect((await modern('skills/get', { uri })).error).toMatchObject({ code: expect.any(Number) });
  });
});

describe('harmful connections', () => {
  it('a body of fifty megabytes', async () => {
    // The server answers before it has read everything, so the answer may get lost with the connection.
    const chunked = await new Promise((resolve) => {
      const sent = request(server.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
      sent.on('response', ({ statusCode }) => resolve(statusCode));
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      const chunk = 'x'.repeat(2 ** 20);
      const write = (left: number) => {
        if (left === 0) sent.end();
        else sent.write(chunk, () => write(left - 1));
      };
      write(50);
    });
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(chunked);
  });

  it('clients that disconnect during their request or their answer', async () => {
    const { hostname, port } = new URL(server.url);
    const body = JSON.stringify(listSkills());
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n`;
    const leave = (bytes: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () =>
          socket.write(bytes, () => {
            socket.destroy();
            resolve();
          }),
        );
        socket.on('error', () => resolve());
      });
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => leave(at % 2 === 0 ? head + body : head + body.slice(0, 20))),
    );
    expect((await ask(`${new URL(server.url).origin}/healthz`)).status).toBe(200);
  });
});
