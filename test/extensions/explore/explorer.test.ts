import { describe, expect, it, vi } from 'vitest';
import type { Api, ApiName } from '../../../extensions/explore/api.ts';
import { openExplorer } from '../../../extensions/explore/explorer.ts';
import { REQUESTS } from '../../../extensions/explore/requests.ts';
import { performHere } from '../../../extensions/explore/work.ts';
import { gatewaysFor } from '../../../src/gateway/pipeline.ts';
import { compilePolicy } from '../../../src/gateway/policy/policy.ts';
import { LOCAL, type Principal } from '../../../src/gateway/policy/principal.ts';
import { viewFor } from '../../../src/gateway/view.ts';
import { skill, testLibrary, twoSources } from '../../src/gateway/test-library.ts';

const TREE = {
  'public/SKILL.md': skill('public', 'Roll back a migration'),
  'secret/SKILL.md': skill('secret', 'Roll back a secret migration'),
};
const GUEST: Principal = { id: 'guest', scopes: [] };

function explorerOver(
  tree = TREE,
  deny: readonly string[] = ['secret'],
  { library, root } = testLibrary(tree),
  { ready = Promise.resolve(), indexing = () => null as number | null } = {},
) {
  const policy = compilePolicy({
    default: 'allow',
    disabled: [],
    rules: [{ who: ['guest'], allow: [], deny: [{ skills: deny }], tools: [], scripts: [] }],
  });
  const gateways = gatewaysFor(library, policy);
  const log: string[] = [];
  const recorded: string[] = [];
  const explorer = openExplorer({
    log: (message) => log.push(message),
    perform: performHere,
    directory: null,
    auditFile: null,
    fetchedIn: '/nonexistent',
    indexing,
    async visitor(principal) {
      await ready;
      return {
        principal,
        gateway: gateways(principal),
        view: viewFor(library, policy.grantsOf(principal)),
        everything: policy.grantsOf(principal).everything,
        observe: ({ name, principal: { id }, request }) => {
          return ({ outcome }) => recorded.push(`${id} ${name} ${JSON.stringify(request)} ${outcome}`);
        },
      };
    },
  });
  return { explorer, log, recorded, root };
}

describe('openExplorer', () => {
  it('records each answer once, also of work that the page asks for again, and a search only where it counts', async () => {
    const { explorer, recorded } = explorerOver();
    for (const query of ['r', 'ro', 'roll back']) await explorer.answer('search', { query }, GUEST);
    expect(recorded).toEqual([]);
    await explorer.answer('search', { query: 'roll back', limit: 1, counts: true }, GUEST);
    await explorer.answer('skill', { id: 'public' }, GUEST);
    await vi.waitFor(async () => {
      const { body } = await explorer.answer('map', {}, LOCAL);
      expect(body).toMatchObject({ state: 'done' });
    });
    expect(recorded).toEqual([
      'guest explore.search {"query":"roll back","limit":1,"counts":true} ok',
      'guest explore.skill {"id":"public"} ok',
      'local explore.map {} ok',
    ]);
    await explorer.answer('skill', { id: 'secret' }, GUEST);
    expect(recorded.at(-1)).toBe('guest explore.skill {"id":"secret"} SKILL_UNKNOWN');
    const request = { skill: 'public', description: 'Undo it', queries: ['roll back', 'go back'] };
    await explorer.answer('ranks', request, GUEST);
    expect(recorded.at(-1)).toBe(`guest explore.ranks ${JSON.stringify(request)} ok`);
  });

  it('says how far a first index is, which never goes back, and a later one, to those who may see all', async () => {
    let share: number | null = 0.6;
    let open = () => {};
    const ready = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { explorer } = explorerOver(undefined, undefined, undefined, { ready, indexing: () => share });
    const overview = async (who = LOCAL) => (await explorer.answer('overview', {}, who)).body;
    expect(await overview()).toEqual({ state: 'working', share: 0.6 });
    share = null;
    expect(await overview()).toEqual({ state: 'working', share: 0.6 });
    open();
    expect(await overview()).toMatchObject({ state: 'done', result: { skills: 2, indexing: null } });
    share = 0.3;
    expect(await overview()).toMatchObject({ result: { indexing: 0.3 } });
    expect(await overview(GUEST)).toMatchObject({ result: { skills: 1, indexing: null } });
  });

  it('answers each principal as if the skills that the policy hides did not exist', async () => {
    const { explorer } = explorerOver();
    const alone = explorerOver({ 'public/SKILL.md': TREE['public/SKILL.md'] } as never, []).explorer;
    const probes: { readonly [Name in ApiName]: Api[Name]['request'] } = {
      overview: {},
      search: { query: 'roll back a migration' },
      skill: { id: 'public' },
      file: { id: 'public', path: 'SKILL.md' },
      cards: { ids: ['public', 'secret'] },
      map: {},
      improve: {},
      ranks: { skill: 'public', description: 'Undo it', queries: ['roll back a migration'] },
    };
    // A new request has to be here.
    expect(Object.keys(probes).sort()).toEqual(Object.keys(REQUESTS).sort());
    for (const [name, request] of Object.entries(probes)) {
      const ask = async (of: typeof explorer, who: Principal) => {
        const reply = await of.answer(name, request, who);
        expect(JSON.stringify(reply.body)).not.toMatch(/"state":"working"|"(?:read|compared)":0/);
        // What a folder is called is part of what a skill is, and each library has its own.
        const text = JSON.stringify(reply.body).replace(/"content":"\w+"|"tookMs":[\d.]+/g, '');
        return { ...reply, body: text };
      };
      const [restricted, own, everything] = await vi.waitFor(
        () => Promise.all([ask(explorer, GUEST), ask(alone, GUEST), ask(explorer, LOCAL)]),
        { timeout: 20_000 },
      );
      expect(restricted.status).toBe(200);
      expect(restricted.body).not.toContain('secret');
      expect(restricted).toEqual(own);
      if (!['skill', 'file', 'ranks'].includes(name)) expect(restricted).not.toEqual(everything);
    }
    const hidden = await explorer.answer('skill', { id: 'secret' }, GUEST);
    expect(hidden).toEqual(await alone.answer('skill', { id: 'secret' }, GUEST));
    expect(hidden.status).toBe(404);
  });

  it('shows the copy of the first source', async () => {
    const { explorer } = explorerOver(TREE, [], twoSources());
    expect((await explorer.answer('skill', { id: 'deploy' }, LOCAL)).body).toMatchObject({
      id: 'zeta:deploy',
    });
  });

  it('sends no folder of the machine', async () => {
    const { explorer, root } = explorerOver();
    const { body } = await explorer.answer('search', { query: 'migration' }, LOCAL);
    expect(JSON.stringify(body)).not.toContain(root);
  });

  it.each([
    ['a request that does not exist', 'constructor', {}, 404],
    ['a request without its fields', 'search', {}, 400],
    ['a field of another type', 'search', { query: 7 }, 400],
    ['a field that does not exist', 'search', { query: 'a', folder: '/' }, 400],
    ['a query that is too long', 'search', { query: 'a'.repeat(8_001) }, 400],
    ['a cursor that nobody gave out', 'search', { query: 'a', cursor: 'x' }, 400],
    ['no JSON', 'search', undefined, 400],
  ])('refuses %s and says why', async (_, name, request, status) => {
    const reply = await explorerOver().explorer.answer(name, request, LOCAL);
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ error: expect.stringMatching(/\w{3}/) });
  });

  it('keeps unexpected failures in the log', async () => {
    const log: string[] = [];
    const explorer = openExplorer({
      log: (message) => log.push(message),
      perform: performHere,
      directory: null,
      auditFile: null,
      fetchedIn: '/nonexistent',
      visitor: async () => {
        throw new Error('/home/me is missing');
      },
    });
    const reply = await explorer.answer('overview', {}, LOCAL);
    expect(reply.status).toBe(500);
    expect(JSON.stringify(reply.body)).not.toContain('/home/me');
    expect(log.join()).toContain('/home/me is missing');
  });
});
