import { describe, expect, it } from 'vitest';
import { loadTokens } from '../../../src/gateway/bundle-skills.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { skill, testLibrary, twoSources } from './test-library.ts';

const TREE = {
  'invoice/SKILL.md': skill('invoice', 'Match open invoices with payments of the bank'),
  'chart/SKILL.md': skill('chart', 'Draw an honest chart of figures'),
  'manual/SKILL.md': skill(
    'manual',
    'Deploy a service',
    `# Manual\n\n${'One more sentence of the manual. '.repeat(2_000)}`,
  ),
};

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof GatewayError ? error.code : error),
  );

describe('bundle', () => {
  it('covers a task and counts the tokens of loading each skill', async () => {
    const { gateway, library } = testLibrary(TREE);
    const query = 'Match the open invoices with the payments. Draw an honest chart.';
    const { members, tokens, maxTokens } = await gateway.bundle({ query });
    expect(members.map(({ entry }) => entry.id).toSorted()).toEqual(['chart', 'invoice']);
    expect(tokens).toBe(members.reduce((sum, member) => sum + member.tokens, 0));
    expect(maxTokens).toBe(24_000);
    const { reader } = await library.current();
    for (const { entry, tokens: own } of members) {
      expect(own).toBe(loadTokens(reader, reader.resolve(entry.id)[0]!));
      expect(own).toBeGreaterThan(0);
    }
    // A long skill costs what one load returns at most.
    expect(loadTokens(reader, reader.resolve('manual')[0]!)).toBe(8_000);
    await library.close();
  });

  it('refuses budgets and numbers out of range, and an empty task', async () => {
    const { gateway, library } = testLibrary(TREE);
    expect(await code(gateway.bundle({ query: 'chart', maxTokens: 99 }))).toBe('REQUEST_INVALID');
    expect(await code(gateway.bundle({ query: 'chart', limit: 51 }))).toBe('REQUEST_INVALID');
    expect(await code(gateway.bundle({ query: ' \n' }))).toBe('REQUEST_INVALID');
    await library.close();
  });
});

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
