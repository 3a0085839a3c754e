import { describe, expect, it } from 'vitest';
import { ranksOf } from '../../../src/authoring/ranks-of.ts';
import { why } from '../../../src/authoring/why.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

const TREE = {
  'rollback/SKILL.md': skill('rollback', 'Undo a failed schema migration of a large postgres database'),
  'deploy/SKILL.md': skill('deploy', 'Put a release of the shop into production'),
  'backup/SKILL.md': skill('backup', 'Copies of everything, every night'),
};

const REQUESTS = ['undo a migration', 'release the shop', 'nightly copies'];

async function ranksFor(id: string, wanted: readonly string[][]) {
  const index = await testLibrary(TREE).library.current();
  const { reader } = index;
  const [ordinal] = reader.resolve(id);
  const accept = reader.accept([]);
  const requests = REQUESTS.map((text, at) => ({
    text,
    wanted: (wanted[at] ?? []).flatMap((name) => [...reader.resolve(name)]),
  }));
  const ranks = await ranksOf({ requests, ordinal: ordinal!, accept }, index);
  const explained = [];
  for (const query of REQUESTS) explained.push(await why({ query, ordinal: ordinal!, accept }, index));
  return { ranks, explained };
}

describe('ranksOf', () => {
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
