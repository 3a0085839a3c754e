import { describe, expect, it } from 'vitest';
import { rankChanges, ranksOf } from '../../../src/authoring/ranks.ts';
import { why } from '../../../src/authoring/why.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

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

describe('ranksOf', () => {
  async function ranksFor(id: string, wanted: readonly string[][]) {
    const { index, ordinalOf, accept } = await setting();
    const requests = REQUESTS.map((text, at) => ({ text, wanted: (wanted[at] ?? []).map(ordinalOf) }));
    const ranks = await ranksOf({ requests, ordinal: ordinalOf(id), accept }, index);
    const explained = [];
    for (const query of REQUESTS) explained.push(await why({ query, ordinal: ordinalOf(id), accept }, index));
    return { ranks, explained };
  }

  it('gives the ranks of why, in the order of the requests', async () => {
    const { ranks, explained } = await ranksFor('rollback', []);
    expect(ranks.map(({ request }) => request)).toEqual(REQUESTS);
    expect(ranks.map(({ rank }) => rank)).toEqual(explained.map(({ rank }) => rank));
    expect(ranks.map(({ first }) => first)).toEqual(['rollback', 'deploy', 'backup']);
    expect(ranks.map(({ isOwn, takes }) => [isOwn, takes])).toEqual(REQUESTS.map(() => [true, false]));
  });

  it('says what it takes from the skill that a request is for', async () => {
    const { ranks } = await ranksFor('rollback', [['backup'], ['deploy'], ['rollback', 'backup']]);
    expect(ranks.map(({ isOwn, takes }) => [isOwn, takes])).toEqual([
      [false, true],
      [false, false],
      [true, false],
    ]);
  });
});

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
