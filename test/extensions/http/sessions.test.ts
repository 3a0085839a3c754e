/** Sessions: whose they are, how many there are, how long they last, and that their work ends. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type AuthInfo, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type SessionLimits, Sessions } from '../../../extensions/http/sessions.ts';
import { endWithTest } from '../../end-with-test.ts';

const LIMITS: SessionLimits = { sessions: 100, sessionsPerPrincipal: 3, sessionIdleMs: 60_000 };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1' },
  },
};
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

interface Test {
  readonly sessions: Sessions;
  readonly events: string[];
  readonly servers: McpServer[];
  /** Advances the clock, ms. */
  advance(ms: number): void;
}

function test(limits: Partial<SessionLimits> = {}): Test {
  let clock = 0;
  const events: string[] = [];
  const servers: McpServer[] = [];
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1' });
    servers.push(server);
    server.registerTool('wait', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
      events.push('cancelled');
      return { content: [] };
    });
    server.registerTool('ask', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      const { action } = await mcpReq.elicitInput(
        { message: 'Well?', requestedSchema: { type: 'object', properties: {} } },
        { relatedRequestId: mcpReq.id },
      );
      return { content: [{ type: 'text', text: action }] };
    });
    server.server.onclose = () => events.push('closed');
    return server;
  };
  const sessions = new Sessions(factory, {
    limits: { ...LIMITS, ...limits },
    onerror: (error) => events.push(error.message),
    now: () => clock,
    sweepMs: 20,
  });
  endWithTest(() => sessions.close());
  return { sessions, events, servers, advance: (ms) => (clock += ms) };
}

const as = (id: string, scopes: string[] = []): AuthInfo => ({
  token: 't',
  clientId: id,
  scopes,
  extra: { principal: { id, scopes } },
});

/** Sends a message; `end` ends the exchange. */
async function send(
  { sessions }: Test,
  parsedBody: unknown,
  { session, authInfo, method = 'POST' }: { session?: string; authInfo?: AuthInfo; method?: string } = {},
) {
  const exchange = new AbortController();
  const asking: boolean[] = [];
  const request = new Request('http://localhost/', {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
  });
  const answer = await sessions.serve(request, {
    authInfo,
    parsedBody,
    ended: exchange.signal,
    onAsking: (is) => asking.push(is),
  });
  return { answer, asking, end: () => exchange.abort() };
}

/** A session that no exchange uses. */
async function open(to: Test, authInfo?: AuthInfo): Promise<string> {
  const { answer, end } = await send(to, INITIALIZE, authInfo === undefined ? {} : { authInfo });
  const id = answer?.headers.get('mcp-session-id');
  await answer?.text();
  end();
  if (typeof id !== 'string') throw new Error(`No session: ${answer?.status}`);
  return id;
}

async function status(to: Test, session: string, authInfo?: AuthInfo) {
  const { answer, end } = await send(to, PING, { session, ...(authInfo === undefined ? {} : { authInfo }) });
  end();
  return answer?.status;
}

describe('a session', () => {
  it('is opened by initialize only; other requests are not of sessions', async () => {
    const to = test();
    expect((await send(to, PING)).answer).toBeUndefined();
    const id = await open(to);
    expect(id).toMatch(/^[\w-]{32}$/);
    expect(await status(to, id)).toBe(200);
  });

  it('belongs to its principal with exactly its scopes', async () => {
    const to = test();
    const id = await open(to, as('alice', ['a', 'b']));
    expect(await status(to, id, as('alice', ['b', 'a']))).toBe(200);
    for (const other of [as('bob', ['a', 'b']), as('alice', ['a']), as('alice', ['a', 'b', 'c']), undefined])
      expect(await status(to, id, other)).toBe(404);
  });

  it('ends at DELETE, and its server with it', async () => {
    const to = test();
    const id = await open(to);
    expect((await send(to, undefined, { session: id, method: 'DELETE' })).answer?.status).toBe(200);
    expect(to.events).toEqual(['closed']);
    expect(await status(to, id)).toBe(404);
  });

  it('ends when it was idle, and not while a request is open', async () => {
    const to = test();
    const [idle, busy] = [await open(to), await open(to)];
    const waiting = await send(to, call('wait', 5), { session: busy });
    to.advance(LIMITS.sessionIdleMs);
    await expect.poll(() => to.events).toEqual(['closed']);
    expect(await status(to, idle)).toBe(404);
    expect(await status(to, busy)).toBe(200);
    waiting.end();
    to.advance(LIMITS.sessionIdleMs);
    await expect.poll(() => to.events.filter((event) => event === 'closed')).toHaveLength(2);
    expect(await status(to, busy)).toBe(404);
  });

  it('is not kept if it cannot be opened', async () => {
    const to = test({ sessions: 1 });
    const invalid = { ...INITIALIZE, id: 0, params: {} };
    expect((await send(to, [INITIALIZE, PING])).answer?.status).toBe(400);
    (await send(to, invalid)).end();
    expect(await status(to, await open(to))).toBe(200);
  });
});

const call = (name: string, id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

describe('the number of sessions', () => {
  it('is limited per principal: the one that was idle longest gives way', async () => {
    const to = test();
    const bob = await open(to, as('bob'));
    const [first, second, third] = [
      await open(to, as('alice')),
      await open(to, as('alice')),
      await open(to, as('alice')),
    ];
    expect(await status(to, first, as('alice'))).toBe(200);
    const fourth = await open(to, as('alice'));
    expect(await status(to, second, as('alice'))).toBe(404);
    for (const id of [first, third, fourth]) expect(await status(to, id, as('alice'))).toBe(200);
    expect(await status(to, bob, as('bob'))).toBe(200);
  });

  it('is limited in all', async () => {
    const to = test({ sessions: 2 });
    const ids = [await open(to, as('a')), await open(to, as('b')), await open(to, as('c'))];
    expect(await status(to, ids[0] ?? '', as('a'))).toBe(404);
    expect(await status(to, ids[1] ?? '', as('b'))).toBe(200);
  });

  it('refuses a new one where all are in use', async () => {
    const to = test({ sessionsPerPrincipal: 1 });
    const id = await open(to);
    const { end } = await send(to, call('wait', 5), { session: id });
    expect((await send(to, INITIALIZE)).answer?.status).toBe(503);
    end();
    expect((await send(to, INITIALIZE)).answer?.status).toBe(200);
  });
});

describe('a call of a session', () => {
  it('is cancelled when its exchange ends without an answer', async () => {
    const to = test();
    const id = await open(to);
    const { end } = await send(to, call('wait', 5), { session: id });
    await sleep(5);
    expect(to.events).toEqual([]);
    end();
    await expect.poll(() => to.events).toEqual(['cancelled']);
    // The id is free again.
    expect(await status(to, id)).toBe(200);
  });

  it('ends its stream when its client cancels it', async () => {
    const to = test();
    const id = await open(to);
    const { answer } = await send(to, call('wait', 5), { session: id });
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    expect((await send(to, cancelled, { session: id })).answer?.status).toBe(202);
    expect(await answer?.text()).toBe('');
    expect(to.events).toEqual(['cancelled']);
  });

  it('of a batch ends alone when its client cancels it', async () => {
    const to = test();
    const id = await open(to);
    const { answer } = await send(to, [call('wait', 5), call('wait', 6)], { session: id });
    for (const requestId of [5, 6]) {
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
      await send(to, cancelled, { session: id });
      await expect.poll(() => to.events).toHaveLength(requestId - 4);
    }
    const events = (await answer?.text())?.match(/"id":\d/g);
    expect(events).toEqual(['"id":5', '"id":6']);
  });

  it('asks on its stream, waits for the answer, and says that it does', async () => {
    const to = test();
    const id = await open(to);
    const { answer, asking } = await send(to, call('ask', 5), { session: id });
    const reader = answer?.body?.getReader();
    const event = new TextDecoder().decode((await reader?.read())?.value);
    expect(event).toContain('elicitation/create');
    expect(asking).toEqual([true]);
    const question = /"id":(\d+)/.exec(event)?.[1];
    const reply = { jsonrpc: '2.0', id: Number(question), result: { action: 'decline' } };
    await send(to, reply, { session: id });
    expect(asking).toEqual([true, false]);
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"decline"');
  });
});

describe('notifications', () => {
  it('arrive on the stream of the session', async () => {
    const to = test();
    const id = await open(to);
    const { answer } = await send(to, undefined, { session: id, method: 'GET' });
    await to.servers[0]?.server.sendToolListChanged();
    const event = new TextDecoder().decode((await answer?.body?.getReader().read())?.value);
    expect(event).toContain('notifications/tools/list_changed');
  });
});
