import { describe, expect, it } from 'vitest';
import { rankChanges } from '../../../src/authoring/rank-changes.ts';
import { why } from '../../../src/authoring/why.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

const BODY = '# Steps\n\nDo it.\n';
const TREE = {
  'rollback/SKILL.md': skill('rollback', 'Undo a failed schema migration of a large postgres database', BODY),
  'deploy/SKILL.md': skill('deploy', 'Put a release of the shop into production', BODY),
  'backup/SKILL.md': skill('backup', 'Copies of everything, every night', BODY),
};

async function setting() {
  const index = await testLibrary(TREE).library.current();
  const { reader } = index;
  const ordinalOf = (id: string) => reader.resolve(id)[0]!;
  return { index, ordinalOf, accept: reader.accept([]) };
}

describe('rankChanges', () => {
  it('with the present description changes nothing', async () => {
    const { index, ordinalOf, accept } = await setting();
    const queries = ['undo a migration', 'release the shop', 'nightly copies'];
    const description = 'Undo a failed schema migration of a large postgres database';
    const changes = await rankChanges(
      { ordinal: ordinalOf('rollback'), accept, queries, description },
      index,
    );
    expect(changes.map(({ query }) => query)).toEqual(queries);
    for (const { before, after, passed } of changes) expect([after, passed]).toEqual([before, []]);
  });

  it('says which skills fall behind', async () => {
    const { index, ordinalOf, accept } = await setting();
    const ordinal = ordinalOf('backup');
    const query = 'postgres database';
    const explained = await why({ query, ordinal, accept }, index);
    expect(explained.rank).toBeGreaterThan(1);
    const description = 'Postgres database';
    const [change] = await rankChanges({ ordinal, accept, queries: [query], description }, index);
    expect(change).toMatchObject({ before: explained.rank, after: 1, first: 'backup', reached: true });
    expect(change!.passed).toContain('rollback');
    expect(change!.passed).toHaveLength(explained.rank - 1);
  });

  it('shows what is lost, too', async () => {
    const { index, ordinalOf, accept } = await setting();
    const [change] = await rankChanges(
      {
        ordinal: ordinalOf('rollback'),
        accept,
        queries: ['undo a failed schema migration'],
        description: 'Bake bread',
      },
      index,
    );
    expect(change!.before).toBe(1);
    expect(change!.passed).toEqual([]);
  });
});
