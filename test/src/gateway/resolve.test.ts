import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveSkill, shortId } from '../../../src/gateway/resolve.ts';
import { skill, testLibrary } from './test-library.ts';

const reader = async (tree: Record<string, string>) => (await testLibrary(tree).library.current()).reader;

const SOME = {
  'docs/pdf-forms/SKILL.md': skill('pdf-forms', 'Fill in forms'),
  'data/CSV-Cleaning/SKILL.md': skill('tidy', 'Clean messy tables'),
  'a/deploy/SKILL.md': skill('deploy', 'Deploy to a cluster'),
  'b/deploy/SKILL.md': skill('deploy', 'Deploy a web site'),
};

describe('resolveSkill', () => {
  it.each([
    ['its id', 'docs/pdf-forms'],
    ['its URI', 'skill://library/docs/pdf-forms/SKILL.md'],
    ['its name', 'pdf-forms'],
    ['an id with space around it', '  docs/pdf-forms\n'],
  ])('finds a skill by %s', async (_, wanted) => {
    expect(resolveSkill(await reader(SOME), wanted).id).toBe('docs/pdf-forms');
  });

  it('finds a skill by its folder’s name where its own name differs', async () => {
    expect(resolveSkill(await reader(SOME), 'CSV-Cleaning').id).toBe('data/CSV-Cleaning');
    expect(resolveSkill(await reader(SOME), 'tidy').id).toBe('data/CSV-Cleaning');
  });

  it('lists all skills of an ambiguous name', async () => {
    const index = await reader(SOME);
    expect(() => resolveSkill(index, 'deploy')).toThrow(
      expect.objectContaining({
        code: 'SKILL_AMBIGUOUS',
        data: {
          skill: 'deploy',
          candidates: [
            { id: 'a/deploy', description: 'Deploy to a cluster' },
            { id: 'b/deploy', description: 'Deploy a web site' },
          ],
        },
      }),
    );
  });

  it.each([
    ['misspelled', 'pdf-from', 'pdf-forms'],
    ['in another case', 'csv-cleaning', 'CSV-Cleaning'],
    ['of the right words', 'clean-my-messy-tables', 'CSV-Cleaning'],
  ])('names the nearest first for one %s', async (_, wanted, nearest) => {
    const index = await reader(SOME);
    const error = expect.objectContaining({
      code: 'SKILL_UNKNOWN',
      data: { skill: wanted, nearest: expect.arrayContaining([nearest]) },
      message: expect.stringContaining(`The nearest ids are ${nearest}`),
    });
    expect(() => resolveSkill(index, wanted)).toThrow(error);
  });

  it('suggests nothing where no id is near', async () => {
    const index = await reader(SOME);
    const error = expect.objectContaining({
      data: { skill: 'quantum-chromodynamics', nearest: [] },
      message: expect.stringContaining('No id is near'),
    });
    expect(() => resolveSkill(index, 'quantum-chromodynamics')).toThrow(error);
  });

  it('understands the end of an id, and shows the shortest one that finds the skill', async () => {
    const index = await reader(SOME);
    for (const ordinal of index.ordinalsByKey()) {
      const id = index.key(ordinal);
      const short = shortId(index, id);
      expect(id.endsWith(short)).toBe(true);
      expect(resolveSkill(index, short).id).toBe(id);
    }
    expect(shortId(index, 'docs/pdf-forms')).toBe('pdf-forms');
    expect(shortId(index, 'a/deploy')).toBe('a/deploy');
    const deeper = await reader({
      'x/team/deploy/SKILL.md': SOME['a/deploy/SKILL.md']!,
      'y/team-b/deploy/SKILL.md': SOME['b/deploy/SKILL.md']!,
    });
    expect(shortId(deeper, 'x/team/deploy')).toBe('team/deploy');
    expect(resolveSkill(deeper, 'team-b/deploy').id).toBe('y/team-b/deploy');
    // Half a segment is not the end of an id.
    expect(() => resolveSkill(deeper, 'eam/deploy')).toThrow(/There is no skill/);
  });

  it('throws only GatewayError for any text, with at most five suggestions', async () => {
    const index = await reader(SOME);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (wanted) => {
        try {
          resolveSkill(index, wanted);
        } catch (error) {
          expect(error).toMatchObject({ code: 'SKILL_UNKNOWN' });
          expect((error as { data: { nearest: string[] } }).data.nearest.length).toBeLessThanOrEqual(5);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('reports an empty catalog', async () => {
    const index = await reader({ 'empty/.keep': '' });
    expect(() => resolveSkill(index, 'pdf')).toThrow(/The catalog is empty/);
  });
});
