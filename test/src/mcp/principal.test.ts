import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { LOCAL, type Principal } from '../../../src/gateway/policy/principal.ts';
import { ChangeBus } from '../../../src/mcp/changes.ts';
import { toPrincipal } from '../../../src/mcp/principal.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';

const ALICE: Principal = { id: 'alice', scopes: ['read'] };
const info = (principal: unknown): AuthInfo => ({
  token: 't',
  clientId: 'c',
  scopes: [],
  extra: { principal },
});

describe('toPrincipal', () => {
  it('is the authenticated principal, or the local user without authentication', () => {
    expect(toPrincipal(info(ALICE))).toEqual(ALICE);
    expect(toPrincipal(undefined)).toBe(LOCAL);
    expect(toPrincipal(info(LOCAL))).toBe(LOCAL);
  });

  it.each([
    ['no principal', undefined],
    ['no id', { scopes: [] }],
    ['an empty id', { id: '', scopes: [] }],
    ['scopes in one string', { id: 'alice', scopes: 'read' }],
    ['a caller with the id local', { id: 'local', scopes: [] }],
  ])('refuses %s', (_, principal) => {
    expect(() => toPrincipal(info(principal))).toThrow();
  });

  it('refuses authentication without a principal', () => {
    expect(() => toPrincipal({ token: 't', clientId: 'c', scopes: [] })).toThrow('principal is missing');
  });
});

describe('a server over HTTP', () => {
  const handlerFor = (asked: Principal[]) =>
    createMcpHandler(
      mcpServerFactory({
        gateway: async (principal) => {
          asked.push(principal);
          return fakeGateway(SKILLS);
        },
        version: '0',
        log: () => {},
      }),
    );

  it.each(['legacy', '2026-07-28'])(
    'answers each request with the gateway of its caller, on %s',
    async (era) => {
      const asked: Principal[] = [];
      const handler = handlerFor(asked);
      const as = async (principal: Principal) => {
        const mode = era === 'legacy' ? era : { pin: era };
        const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
        const fetch = (input: string | URL, init?: RequestInit) =>
          handler.fetch(new Request(input, init), { authInfo: info(principal) });
        await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
        await client.callTool({ name: 'list_skills', arguments: {} });
        await client.close();
      };
      await as(ALICE);
      expect(new Set(asked.map(({ id }) => id))).toEqual(new Set(['alice']));
      asked.length = 0;
      await as({ id: 'bob', scopes: [] });
      expect(new Set(asked.map(({ id }) => id))).toEqual(new Set(['bob']));
      await handler.close();
    },
  );

  it('answers no caller without a valid principal', async () => {
    const asked: Principal[] = [];
    const handler = handlerFor(asked);
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_skills', arguments: {} },
        }),
      }),
      { authInfo: { token: 't', clientId: 'c', scopes: [] } },
    );
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(asked).toEqual([]);
    await handler.close();
  });
});

describe('ChangeBus', () => {
  it('notifies a subscriber only of its own changes, and no listener outside a request', async () => {
    const listeners = new Map<string, Set<(generation: number) => void>>();
    const bus = new ChangeBus(async ({ id }) => ({
      onChange(listener) {
        const own = listeners.get(id) ?? new Set();
        listeners.set(id, own.add(listener));
        return () => own.delete(listener);
      },
    }));
    const heard: string[] = [];
    const stop = bus.during(ALICE, () => bus.subscribe(({ kind }) => heard.push(`alice ${kind}`)));
    bus.during({ id: 'bob', scopes: [] }, () => bus.subscribe(({ kind }) => heard.push(`bob ${kind}`)));
    bus.subscribe(() => heard.push('no caller'));
    await expect.poll(() => listeners.size).toBe(2);
    for (const listener of listeners.get('alice') ?? []) listener(0);
    expect(heard).toEqual(['alice resources_list_changed']);
    stop();
    expect(listeners.get('alice')?.size).toBe(0);
  });
});
