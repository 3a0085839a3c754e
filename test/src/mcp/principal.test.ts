import type { AuthInfo } from '@modelcontextprotocol/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Principal } from '../../../src/gateway/policy/principal.ts';
import { ChangeBus } from '../../../src/mcp/changes.ts';
import { toPrincipal } from '../../../src/mcp/principal.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';
import { callTool, ERAS } from './harness.ts';

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

describe.each(ERAS)('a server on %s', (era) => {
  const asked: string[] = [];
  const factory = mcpServerFactory({
    gateway: async ({ id }) => {
      asked.push(id);
      return fakeGateway(SKILLS);
    },
    version: '0',
    log: () => {},
  });
  beforeEach(() => {
    asked.length = 0;
  });

  it.each(['alice', 'bob'])('answers %s with the gateway of that caller', async (id) => {
    const authInfo = info({ id, scopes: [] });
    await callTool(era, (context) => factory({ ...context, authInfo }), 'list_skills');
    expect(new Set(asked)).toEqual(new Set([id]));
  });

  it('answers no caller without a valid principal', async () => {
    const authInfo = { token: 't', clientId: 'c', scopes: [] };
    await expect(factory({ era: 'legacy', authInfo })).rejects.toThrow('principal is missing');
    expect(asked).toEqual([]);
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
    await expect.poll(() => listeners.get('alice')?.size).toBe(0);
  });
});
