import { describe, expect, it } from 'vitest';
import { COLLIDES, TellApart } from '../../../src/authoring/tell-apart.ts';
import { toyDocument } from '../../index/toy.ts';
import { indexOf } from '../search/small-index.ts';

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
  it('is the cosine of their cards where the name of one says nothing that the other does not', async () => {
    const { similarity, closeness: close } = await closeness(
      ['a/git-commit', WRITES],
      ['b/conventional-commits', `${WRITES} by the convention`],
      ...OTHERS,
    );
    expect(close).toBe(similarity);
    expect(close).toBeGreaterThan(COLLIDES);
  });

  it('is lower by 0.164 where each name has a word of its own that no other skill has', async () => {
    const { similarity, closeness: close } = await closeness(
      ['a/gitlab-commit', WRITES],
      ['b/github-commit', WRITES],
      ...OTHERS,
    );
    // "gitlab" and "github": one skill of four has each, log(1 + 4/1) / log(1 + 4) = 1.
    expect(similarity - close).toBeCloseTo(0.164, 6);
  });

  it('is lower by 0.28 where one description names the other skill', async () => {
    const { similarity, closeness: close } = await closeness(
      ['a/git-commit', `${WRITES}, for releases see commit-release`],
      ['b/commit-release', `${WRITES} of a release`],
      ...OTHERS,
    );
    expect(similarity - close).toBeCloseTo(0.28, 6);
  });

  it('is lower by 0.16 in a pack: three skills of one folder whose names begin alike', async () => {
    const pair = [
      ['a/git-commit', WRITES],
      ['a/git-message', WRITES],
    ] as const;
    const two = await closeness(...pair, ...OTHERS);
    const three = await closeness(...pair, ['a/git-bisect', 'finds the change that broke it'], ...OTHERS);
    expect(two.closeness).toBeGreaterThan(three.closeness);
    // Rarities of "commit" and "message" are 0: each is in the other's description.
    expect(three.similarity - three.closeness).toBeCloseTo(0.16, 6);
  });
});
