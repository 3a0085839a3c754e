import { describe, expect, it } from 'vitest';
import { COLLIDES, TellApart } from '../../../extensions/authoring/tell-apart.ts';
import { toyDocument } from '../../index/toy.ts';
import { indexOf } from '../../src/search/small-index.ts';

const skill = (id: string, description: string) => {
  const name = id.split('/').at(-1)!;
  return toyDocument(id, description, [`Text of ${id}.`], { payload: { id, name, description }, name });
};

/** How close the first two are, in a catalog with the others. */
async function closeness(...skills: readonly (readonly [id: string, description: string])[]) {
  const reader = await indexOf(skills.map(([id, description]) => skill(id, description)));
  const [a, b] = skills.map(([id]) => reader.resolve(id)[0] ?? ordinalOf(reader, id)) as [number, number];
  return new TellApart(reader).of(a, b);
}

const ordinalOf = (reader: Awaited<ReturnType<typeof indexOf>>, id: string) =>
  reader.ordinalsByKey().find((ordinal) => reader.key(ordinal) === id)!;

const WRITES = 'writes the commit message when changes are committed to git';
const OTHERS = [
  ['x/tea', 'boils water for tea'],
  ['x/tax', 'fills in the form of the office'],
] as const;

describe('how hard two skills are to tell apart', () => {
  it('is the cosine of their cards where the name of neither says what the other does not', async () => {
    const { similarity, closeness: close } = await closeness(
      ['a/commit-message', WRITES],
      ['b/git-commit-messages', WRITES],
      ...OTHERS,
    );
    expect(close).toBe(similarity);
    expect(close).toBeGreaterThan(COLLIDES);
  });

  it('is lower by 0.1 where one of the two has a word of its own in its name', async () => {
    const { similarity, closeness: close } = await closeness(
      ['a/git-commit', WRITES],
      ['b/conventional-commits', WRITES],
      ...OTHERS,
    );
    expect(similarity - close).toBeCloseTo(0.1, 6);
  });

  it.each([
    ['each name has a word of its own', ['gitlab-commit', WRITES], ['github-commit', WRITES]],
    ['one is the special case of the other', ['git-commit', WRITES], ['git-commit-amend', `${WRITES} amend`]],
    ['a small word of the names differs', ['commit-on', `${WRITES} on`], ['commit-off', `${WRITES} off`]],
    [
      'each description says its own subject',
      ['commit', 'Writes the commit message for Gitea. Use when Gitea has changes to commit.'],
      ['commits', 'Writes the commit message for Gerrit. Use when Gerrit has changes to commit.'],
    ],
    [
      'one names the other',
      ['commit-message', `${WRITES}; not for releases: git-commit`],
      ['git-commit', WRITES],
    ],
    ['one points at the other', ['message', `${WRITES}. For releases see commit.`], ['commit', WRITES]],
    ['one says "use … instead"', ['message', `${WRITES}. Use commit instead.`], ['commit', WRITES]],
    [
      'one is not for what the other is',
      ['git-commit', `${WRITES}. Do not use for a changelog.`],
      ['git-commit-changelog', `${WRITES} and the changelog`],
    ],
    [
      'one is to be skipped for what the other is',
      ['message', `${WRITES}. Skip this for gitea.`],
      ['gitea', `${WRITES} and the message in gitea`],
    ],
  ] as const)('is −1 where %s', async (_, [a, first], [b, second]) => {
    expect((await closeness([`x/${a}`, first], [`x/${b}`, second], ...OTHERS)).closeness).toBe(-1);
  });

  it('is −1 in other languages than English, whose vectors say little', async () => {
    const german = 'schreibt die Nachricht, wenn etwas in Git eingetragen wird';
    expect((await closeness(['a/commit-message', german], ['b/git-commit-message', german])).closeness).toBe(
      -1,
    );
  });
});
