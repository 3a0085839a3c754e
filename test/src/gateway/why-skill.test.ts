import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { skill, testLibrary, twoSources } from './test-library.ts';

const TREE = {
  'invoice/SKILL.md': skill('invoice', 'Match open invoices with payments of the bank'),
  'chart/SKILL.md': skill('chart', 'Draw an honest chart of figures'),
  'manual/SKILL.md': skill('manual', 'Deploy a service'),
};

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof GatewayError ? error.code : error),
  );

describe('why', () => {
  it('accepts an id, URI or name, as load does', async () => {
    const { gateway, library } = testLibrary(TREE);
    const query = 'draw figures';
    const byName = await gateway.why({ query, skill: 'chart' });
    expect(byName).toMatchObject({ id: 'chart', query, rank: 1, searched: 3 });
    expect(await gateway.why({ query, skill: 'skill://library/chart/SKILL.md' })).toEqual(byName);
    expect(await code(gateway.why({ query, skill: 'nothing' }))).toBe('SKILL_UNKNOWN');
    expect(await code(gateway.why({ query: '', skill: 'chart' }))).toBe('REQUEST_INVALID');
    expect(await code(gateway.why({ query, skill: 'chart', page: 0 }))).toBe('REQUEST_INVALID');
    await library.close();
  });

  it('explains the copy that load loads', async () => {
    const { gateway, library } = twoSources();
    const loaded = await gateway.load({ skill: 'deploy' });
    expect(loaded.entry.id).toBe('zeta:deploy');
    expect((await gateway.why({ query: 'cluster', skill: 'deploy' })).id).toBe(loaded.entry.id);
    await library.close();
  });
});
