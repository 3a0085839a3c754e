import { describe, expect, it } from 'vitest';
import { openExplorer } from '../../../src/explore/explorer.ts';
import { performHere } from '../../../src/explore/work.ts';
import { gatewaysFor, viewFor } from '../../../src/gateway/public.ts';
import { compilePolicy, LOCAL } from '../../../src/policy/public.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

const TREE = {
  'public/SKILL.md': skill('public', 'Roll back a migration'),
  'secret/SKILL.md': skill('secret', 'Roll back a secret migration'),
};
const GUEST = { id: 'guest', scopes: [] };

function explorerOver(tree = TREE, deny: readonly string[] = ['secret']) {
  const { library, root } = testLibrary(tree);
  const policy = compilePolicy({
    default: 'allow',
    disabled: [],
    rules: [{ who: ['guest'], allow: [], deny: [{ skills: deny }], tools: [], scripts: [] }],
  });
  const gateways = gatewaysFor(library, policy);
  const log: string[] = [];
  const explorer = openExplorer({
    version: '1',
    log: (message) => log.push(message),
    perform: performHere,
    directory: null,
    auditFile: null,
    visitor: async (principal) => ({
      principal,
      gateway: gateways(principal),
      view: viewFor(library, policy.grantsOf(principal)),
      everything: policy.grantsOf(principal).everything,
    }),
  });
  return { explorer, log, root };
}

describe('openExplorer', () => {
  it('answers each principal as if the skills that the policy hides did not exist', async () => {
    const { explorer } = explorerOver();
    const alone = explorerOver({ 'public/SKILL.md': TREE['public/SKILL.md'] } as never, []).explorer;
    for (const [name, request] of [
      ['overview', {}],
      ['search', { query: 'roll back a migration' }],
    ] as const) {
      const restricted = await explorer.answer(name, request, GUEST);
      expect(restricted.status).toBe(200);
      expect(JSON.stringify(restricted.body)).not.toContain('secret');
      expect(restricted).toEqual(await alone.answer(name, request, GUEST));
      expect(restricted).not.toEqual(await explorer.answer(name, request, LOCAL));
    }
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
      version: '1',
      log: (message) => log.push(message),
      perform: performHere,
      directory: null,
      auditFile: null,
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
