import { describe, expect, it } from 'vitest';
import { rankChanges } from '../../../extensions/authoring/ranks.ts';
import { why } from '../../../extensions/authoring/why.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

const BODY = '# Steps\n\nDo it.\n';
const ROLLBACK = 'Undo a failed schema migration of a large postgres database';
const REQUESTS = ['undo a migration', 'release the shop', 'nightly copies'];

async function setting() {
  const index = await testLibrary({
    'rollback/SKILL.md': skill('rollback', ROLLBACK, BODY),
    'deploy/SKILL.md': skill('deploy', 'Put a release of the shop into production', BODY),
    'backup/SKILL.md': skill('backup', 'Copies of everything, every night', BODY),
  }).library.current();
  const { reader } = index;
  const ordinalOf = (id: string) => reader.resolve(id)[0]!;
  return { index, ordinalOf, accept: reader.accept([]) };
}

describe('rankChanges', () => {
  it('with the present description changes nothing', async () => {
    const { index, ordinalOf, accept } = await setting();
    const subject = { ordinal: ordinalOf('rollback'), accept, description: ROLLBACK };
    const changes = await rankChanges({ ...subject, queries: REQUESTS }, index);
    expect(changes.map(({ query }) => query)).toEqual(REQUESTS);
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
    const subject = { ordinal: ordinalOf('rollback'), accept, description: 'Bake bread' };
    const [change] = await rankChanges({ ...subject, queries: ['undo a failed schema migration'] }, index);
    expect(change!.before).toBe(1);
    expect(change!.passed).toEqual([]);
  });
});
