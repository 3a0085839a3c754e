import { describe, expect, it } from 'vitest';
import { explainRank } from '../../../../extensions/authoring/commands/why.ts';
import { skill, testLibrary, twoSources } from '../../../src/gateway/test-library.ts';

const CATALOG = {
  'invoice/SKILL.md': skill('invoice', 'Match open invoices with payments of the bank'),
  'chart/SKILL.md': skill('chart', 'Draw an honest chart of figures'),
  'manual/SKILL.md': skill('manual', 'Deploy a service'),
};

describe('explainRank', () => {
  it('accepts an id, URI or name, as load does', async () => {
    const { library } = testLibrary(CATALOG);
    const query = 'draw figures';
    const byName = await explainRank(library, { query, skill: 'chart' });
    expect(byName).toMatchObject({ id: 'chart', query, rank: 1, searched: 3 });
    expect(await explainRank(library, { query, skill: 'skill://library/chart/SKILL.md' })).toEqual(byName);
    await expect(explainRank(library, { query, skill: 'nothing' })).rejects.toMatchObject({
      code: 'SKILL_UNKNOWN',
    });
    await expect(explainRank(library, { query: '', skill: 'chart' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it('explains the copy that load loads', async () => {
    const { gateway, library } = twoSources();
    const loaded = await gateway.load({ skill: 'deploy' });
    expect(loaded.entry.id).toBe('zeta:deploy');
    expect((await explainRank(library, { query: 'cluster', skill: 'deploy' })).id).toBe(loaded.entry.id);
  });
});
