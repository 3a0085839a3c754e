/** Requests that are answered at once, on one connection of each era. */

import { expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { promptsFeature } from '../../../src/mcp/prompts.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { SEARCH_FIRST } from '../../../src/mcp/tools/profile.ts';
import { currentRequestId } from '../../../src/mcp/warnings.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';
import { connectRaw } from './raw.ts';

const IDS = ['documents/pdf-forms', 'writing/long'];
const KEY = 'skillgate/suspicious';

/** Marks each loaded skill, none before all are asked for; `begun` gets the id of the request of each. */
function slowGateway(begun: Map<string, unknown>): Gateway {
  const gateway = fakeGateway(SKILLS);
  let resolve = () => {};
  const allBegun = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    ...gateway,
    async load(request) {
      begun.set(request.skill, currentRequestId());
      if (begun.size === IDS.length) resolve();
      await allBegun;
      const loaded = await gateway.load(request);
      const marks = [{ id: 'runs-encoded', path: 'SKILL.md', line: 7, excerpt: request.skill }] as const;
      return { ...loaded, entry: { ...loaded.entry, marks } };
    },
  };
}

const CALLS = {
  'tools/call': (skill: string) => ({ name: 'load_skill', arguments: { skill } }),
  'prompts/get': (skill: string) => ({ name: 'use-skill', arguments: { name: skill } }),
} as const;

it.each([
  ['2025-11-25', 'tools/call'],
  ['2025-11-25', 'prompts/get'],
  ['2026-07-28', 'tools/call'],
  ['2026-07-28', 'prompts/get'],
] as const)(
  'on %s two %s at once each warn of their own skill, under their own id',
  async (revision, method) => {
    const begun = new Map<string, unknown>();
    const slow = slowGateway(begun);
    const factory = mcpServerFactory({
      gateway: async () => slow,
      version: '0',
      log: () => {},
      features: [promptsFeature(SEARCH_FIRST, () => {})],
    });
    const { ask } = await connectRaw(factory, revision);
    const answers = await Promise.all(IDS.map((skill) => ask(method, CALLS[method](skill))));
    expect(answers.map(({ result }) => result?._meta)).toEqual(
      IDS.map((skill) =>
        expect.objectContaining({ [KEY]: [expect.objectContaining({ skill, excerpt: skill })] }),
      ),
    );
    const [first, second] = IDS.map((skill) => begun.get(skill));
    expect(second).toBe((first as number) + 1);
    expect(currentRequestId()).toBeUndefined();
  },
);

it('a completion has the id of its request, and the next request has its own', async () => {
  const ids: unknown[] = [];
  const gateway = fakeGateway(SKILLS);
  const noting: Gateway = {
    ...gateway,
    complete(prefix) {
      ids.push(currentRequestId());
      return gateway.complete(prefix);
    },
  };
  const factory = mcpServerFactory({
    gateway: async () => noting,
    version: '0',
    log: () => {},
    features: [promptsFeature(SEARCH_FIRST, () => {})],
  });
  const { ask } = await connectRaw(factory);
  const params = {
    ref: { type: 'ref/prompt', name: 'use-skill' },
    argument: { name: 'name', value: 'documents' },
  };
  await Promise.all([ask('completion/complete', params), ask('completion/complete', params)]);
  expect(ids).toEqual([expect.any(Number), (ids[0] as number) + 1]);
  expect(currentRequestId()).toBeUndefined();
});
