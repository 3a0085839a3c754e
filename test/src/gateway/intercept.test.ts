/** An observed gateway: the same answers, and a report of each call. */

import { describe, expect, it } from 'vitest';
import { type Gateway, GatewayError } from '../../../src/gateway/gateway.ts';
import { observed, type UseCase, type UseCaseEnd } from '../../../src/gateway/intercept.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import { fakeGateway, SKILLS } from '../mcp/fake-gateway.ts';

function watching(gateway: Gateway) {
  const observations: (UseCase & Partial<UseCaseEnd>)[] = [];
  let clock = 0;
  const seen = observed(gateway, {
    principal: LOCAL,
    now: () => {
      clock += 5;
      return clock;
    },
    observe: (useCase) => (end) => observations.push({ ...useCase, ...end }),
  });
  return { seen, observations };
}

describe('observed', () => {
  it('reports who called what, and returns what the gateway returns', async () => {
    const gateway = fakeGateway(SKILLS);
    const { seen, observations } = watching(gateway);
    const request = { skill: 'documents/pdf-forms' };
    const loaded = await seen.load(request);
    expect(loaded).toEqual(await gateway.load(request));
    expect(observations).toEqual([
      { name: 'load', principal: LOCAL, request, outcome: 'ok', ms: 5, result: loaded },
    ]);
  });

  it('reports failures by their code, and rethrows them', async () => {
    const { seen, observations } = watching(fakeGateway(SKILLS));
    await expect(seen.load({ skill: 'no-such-skill' })).rejects.toBeInstanceOf(GatewayError);
    expect(observations).toMatchObject([{ name: 'load', outcome: 'SKILL_UNKNOWN', result: undefined }]);
  });

  it('reports no text of an unexpected failure', async () => {
    const failing = Object.assign(fakeGateway(SKILLS), {
      read: () => Promise.reject(Object.assign(new Error('secret'), { code: 'user input here' })),
    });
    const { seen, observations } = watching(failing);
    await expect(seen.read({ skill: 'a', path: 'b' })).rejects.toThrow('secret');
    expect(observations).toMatchObject([{ outcome: 'INTERNAL' }]);
  });

  it('reports use cases that Gateway does not declare', async () => {
    const gateway = Object.assign(fakeGateway(SKILLS), { fly: async (to: string) => `at ${to}` });
    const observations: UseCase[] = [];
    const seen = observed(gateway, {
      principal: LOCAL,
      now: () => 0,
      observe: (useCase) => {
        observations.push(useCase);
        return () => {};
      },
    });
    expect(await seen.fly('sea')).toBe('at sea');
    expect(observations).toEqual([{ name: 'fly', principal: LOCAL, request: 'sea' }]);
  });

  it('does not report subscriptions, and passes them on', () => {
    const gateway = fakeGateway(SKILLS);
    const { seen, observations } = watching(gateway);
    expect(typeof seen.onChange(() => {})).toBe('function');
    expect(observations).toEqual([]);
    expect(seen.search).toBe(seen.search);
  });
});
