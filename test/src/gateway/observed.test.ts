/** A watched gateway: the same answers, and each call told of. */

import { describe, expect, it } from 'vitest';
import { type Gateway, GatewayError } from '../../../src/gateway/gateway.ts';
import { LOCAL } from '../../../src/gateway/principal.ts';
import { type UseCase, type UseCaseEnd, watched } from '../../../src/gateway/observed.ts';
import { fakeGateway } from '../mcp/fake-gateway.ts';
import { SKILLS } from '../mcp/harness.ts';

function watching(gateway: Gateway) {
  const told: (UseCase & Partial<UseCaseEnd>)[] = [];
  let clock = 0;
  const seen = watched(gateway, {
    principal: LOCAL,
    now: () => {
      clock += 5;
      return clock;
    },
    watch: (useCase) => (end) => told.push({ ...useCase, ...end }),
  });
  return { seen, told };
}

describe('watched', () => {
  it('tells who called what, and gives what the gateway gives', async () => {
    const gateway = fakeGateway(SKILLS);
    const { seen, told } = watching(gateway);
    const request = { skill: 'documents/pdf-forms' };
    const loaded = await seen.load(request);
    expect(loaded).toEqual(await gateway.load(request));
    expect(told).toEqual([{ name: 'load', principal: LOCAL, request, outcome: 'ok', ms: 5, result: loaded }]);
  });

  it('tells failures by their code, and lets them through', async () => {
    const { seen, told } = watching(fakeGateway(SKILLS));
    await expect(seen.load({ skill: 'no-such-skill' })).rejects.toBeInstanceOf(GatewayError);
    expect(told).toMatchObject([{ name: 'load', outcome: 'SKILL_UNKNOWN', result: undefined }]);
  });

  it('tells nothing of what an unforeseen failure says', async () => {
    const failing = Object.assign(fakeGateway(SKILLS), {
      read: () => Promise.reject(Object.assign(new Error('secret'), { code: 'user input here' })),
    });
    const { seen, told } = watching(failing);
    await expect(seen.read({ skill: 'a', path: 'b' })).rejects.toThrow('secret');
    expect(told).toMatchObject([{ outcome: 'INTERNAL' }]);
  });

  it('tells of use cases that it has never heard of', async () => {
    const gateway = Object.assign(fakeGateway(SKILLS), { fly: async (to: string) => `at ${to}` });
    const told: UseCase[] = [];
    const seen = watched(gateway, {
      principal: LOCAL,
      now: () => 0,
      watch: (useCase) => {
        told.push(useCase);
        return () => {};
      },
    });
    expect(await seen.fly('sea')).toBe('at sea');
    expect(told).toEqual([{ name: 'fly', principal: LOCAL, request: 'sea' }]);
  });

  it('tells nothing of listeners, and hands them on', () => {
    const gateway = fakeGateway(SKILLS);
    const { seen, told } = watching(gateway);
    expect(typeof seen.onChange(() => {})).toBe('function');
    expect(told).toEqual([]);
    expect(seen.search).toBe(seen.search);
  });
});
