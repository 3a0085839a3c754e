/** Serving over streams: separation of output, and shutdown. */

import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Gateway } from '../../../../src/gateway/gateway.ts';
import { mcpServerFactory } from '../../../../src/mcp/server.ts';
import { serveOverStdio } from '../../../../src/serve/stdio/stdio.ts';
import { fakeGateway, SKILLS } from '../../mcp/fake-gateway.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'i',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const list = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_skills', arguments: {} },
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** Lets streams pass on their buffers. */
const nextTurns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

interface Message {
  readonly id?: string | number;
  readonly result?: { readonly structuredContent?: unknown };
  readonly error?: unknown;
}

/** A server on private streams; `send` writes lines, `messages` parses the output. */
function serve(gateway: () => Promise<Gateway> = async () => fakeGateway(SKILLS)) {
  const input = new PassThrough();
  const output = new PassThrough();
  const errors = new PassThrough();
  const signals = new EventEmitter();
  const logged: string[] = [];
  const log = (message: string) => logged.push(message);
  const factory = mcpServerFactory({ gateway, version: '0', log, guideTimeoutMs: 0 });
  const ended = serveOverStdio(factory, { log, input, output, errors, signals });
  let written = '';
  const arrivals = new EventEmitter();
  output.on('data', (chunk) => {
    written += chunk;
    arrivals.emit('data');
  });
  const messages = () =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Message => JSON.parse(line));
  return {
    input,
    output,
    errors,
    signals,
    logged,
    ended,
    messages,
    send: (...sent: object[]) => input.write(sent.map((message) => `${JSON.stringify(message)}\n`).join('')),
    async answered(id: string | number): Promise<Message> {
      for (;;) {
        const found = messages().find((message) => message.id === id);
        if (found !== undefined) return found;
        await new Promise((resolve) => arrivals.once('data', resolve));
      }
    },
  };
}

describe('serveOverStdio', () => {
  it('answers a batch as one line after negotiating 2025-03-26, and refuses it otherwise', async () => {
    const server = serve();
    const batch = [
      { jsonrpc: '2.0', id: 'b1', method: 'ping' },
      { jsonrpc: '2.0', id: 'b2', method: 'resources/read' },
    ];
    server.send(batch);
    expect(await server.answered(null as never)).toMatchObject({ error: { code: -32_600 } });
    const params = { ...INITIALIZE.params, protocolVersion: '2025-03-26' };
    server.send({ ...INITIALIZE, params });
    await server.answered('i');
    server.send(batch);
    await vi.waitFor(() => expect(server.messages().at(-1)).toHaveLength(2));
    expect(server.messages().at(-1)).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 'b1', result: {} },
        { jsonrpc: '2.0', id: 'b2', error: { code: -32_602, message: expect.stringContaining('`uri`') } },
      ]),
    );
    server.input.end();
    await server.ended;
  });

  it('answers all requests before the end of the input, also the last line without a newline', async () => {
    const { input, messages, ended } = serve();
    input.end([INITIALIZE, list(1), list(2), list(3)].map((message) => JSON.stringify(message)).join('\n'));
    expect(await ended).toBe('closed');
    expect(messages().map(({ id }) => id)).toEqual(['i', 1, 2, 3]);
  });

  it('answers a line that is not JSON with a parse error, and goes on', async () => {
    const { input, messages, ended } = serve();
    const lines = [INITIALIZE, list(1)].map((message) => JSON.stringify(message));
    input.write(`${lines[0]}\n{"jsonrpc": "2.0", "id": 7, "meth`);
    input.write('od\n\n');
    input.end(`${lines[1]}\nno json at the end`);
    expect(await ended).toBe('closed');
    const failures = messages().filter(({ id }) => id === null);
    expect(failures).toMatchObject([{ error: { code: -32700 } }, { error: { code: -32700 } }]);
    expect(messages().find(({ id }) => id === 1)).toHaveProperty('result');
  });

  it('answers a line of more than 10 MiB with an invalid request, and goes on', async () => {
    const { input, messages, logged, ended } = serve();
    input.write(`${JSON.stringify(INITIALIZE)}\n{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"`);
    for (let mebibyte = 0; mebibyte < 12; mebibyte += 1) input.write('x'.repeat(2 ** 20));
    input.end(`"}}\n${JSON.stringify(list(1))}\n`);
    expect(await ended).toBe('closed');
    const [failure] = messages().filter(({ id }) => id === null);
    expect(failure).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('10485760 bytes') },
    });
    expect(messages().find(({ id }) => id === 1)).toHaveProperty('result');
    expect(logged.join()).toContain('10485760 bytes');
  });

  it.each([
    ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', 1],
    ['no method', '{"jsonrpc":"2.0","id":1}', 1],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 1],
    ['no version', '{"id":1,"method":"tools/list"}', 1],
    ['an empty batch', '[]', null],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"tools/list"}', null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', null],
    ['a text', '"tools/list"', null],
  ])('answers %s with an invalid request, in either era', async (_, line, id) => {
    for (const first of [
      INITIALIZE,
      { jsonrpc: '2.0', id: 'i', method: 'tools/list', params: { _meta: MODERN } },
    ]) {
      const { input, messages, ended } = serve();
      input.end(`${JSON.stringify(first)}\n${line}\n`);
      expect(await ended).toBe('closed');
      const failure = { jsonrpc: '2.0', id, error: { code: -32600 } };
      expect(messages().filter((message) => message.id !== 'i')).toMatchObject([failure]);
    }
  });

  it('answers initialize in the older era after calls of the newest one', async () => {
    const { send, answered, input, ended } = serve();
    send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN } });
    expect(await answered(1)).toMatchObject({ result: { resultType: 'complete' } });
    send(INITIALIZE, list(2));
    expect(await answered('i')).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    const { result } = await answered(2);
    expect(result).toMatchObject({ structuredContent: { total: 4 } });
    expect(result).not.toHaveProperty('resultType');
    input.end();
    expect(await ended).toBe('closed');
  });

  it('waits at most five seconds for an answer after the input has ended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { input, messages, ended } = serve(() => new Promise(() => {}));
      await vi.advanceTimersByTimeAsync(1);
      input.end([INITIALIZE, list(1)].map((message) => `${JSON.stringify(message)}\n`).join(''));
      await nextTurns();
      await vi.advanceTimersByTimeAsync(4_900);
      expect(await Promise.race([ended, 'serving'])).toBe('serving');
      await vi.advanceTimersByTimeAsync(200);
      expect(await ended).toBe('closed');
      expect(messages().map(({ id }) => id)).toEqual(['i']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not wait for subscriptions', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { input, ended } = serve();
      const params = { _meta: MODERN, notifications: { toolsListChanged: true } };
      input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })}\n`);
      // No timer fires in this test.
      expect(await ended).toBe('closed');
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends immediately with the input if nothing is open', async () => {
    const { input, messages, ended } = serve();
    input.end();
    expect(await ended).toBe('closed');
    expect(messages()).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends at %s during a call, and does not handle the next signal',
    async (name) => {
      const { send, answered, signals, ended } = serve(() => new Promise(() => {}));
      send(INITIALIZE, list(1));
      await answered('i');
      signals.emit(name);
      expect(await ended).toBe(name);
      expect([signals.listenerCount('SIGINT'), signals.listenerCount('SIGTERM')]).toEqual([0, 0]);
    },
  );

  it('keeps other output away from the protocol while it serves', async () => {
    const { output, errors, send, answered, input, messages, ended } = serve();
    output.write('a library says hello\n');
    send(INITIALIZE);
    await answered('i');
    input.end();
    await ended;
    expect(messages()).toHaveLength(1);
    expect(String(errors.read())).toBe('a library says hello\n');
    output.write('{"id": "afterwards"}\n');
    expect(messages().at(-1)).toEqual({ id: 'afterwards' });
  });

  it('ends without an error when the client stops reading', async () => {
    const input = new PassThrough();
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    const logged: string[] = [];
    const log = (message: string) => logged.push(message);
    const factory = mcpServerFactory({ gateway: async () => fakeGateway(SKILLS), version: '0', log });
    const signals = new EventEmitter();
    const ended = serveOverStdio(factory, { log, input, output, errors: new PassThrough(), signals });
    input.write(`${JSON.stringify(INITIALIZE)}\n`);
    expect(await ended).toBe('closed');
    expect(logged).toEqual([]);
  });

  it('survives invalid lines and messages that are not requests', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record(
          {
            jsonrpc: fc.constantFrom('2.0', 2),
            id: fc.anything(),
            method: fc.string(),
            params: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((message) => JSON.stringify(message) ?? ''),
    );
    const { input, send, answered, ended } = serve();
    send(INITIALIZE);
    await answered('i');
    for (const text of fc.sample(line, { numRuns: 150, seed: 7 }))
      input.write(`${text.replaceAll('\n', ' ')}\n`);
    send(list(1_000_001));
    expect(await answered(1_000_001)).toMatchObject({ result: { structuredContent: { total: 4 } } });
    input.end();
    expect(await ended).toBe('closed');
  });
});
