import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSource } from '../../../src/sources/local.ts';
import { plant } from '../sources/scan/tree.ts';
import { skill, testLibrary } from './test-library.ts';

const TREE = {
  'docs/pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'data/csv/SKILL.md': skill('csv', 'Clean messy tables'),
  'data/sql/SKILL.md': skill('sql', 'Tune slow queries'),
};

describe('openGateway', () => {
  it.each([0, 51, 2.5, Number.NaN])('refuses %d hits and names the allowed range', async (limit) => {
    await expect(testLibrary(TREE).gateway.search({ query: 'x', limit })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringContaining('from 1 to 50'),
    });
  });

  it.each([99, 50_001])('refuses a budget of %d tokens, to load and to read', async (maxTokens) => {
    const { gateway } = testLibrary(TREE);
    await expect(gateway.load({ skill: 'pdf', maxTokens })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await expect(gateway.read({ skill: 'pdf', path: 'SKILL.md', maxTokens })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it('refuses lines and a heading together', async () => {
    const request = { skill: 'pdf', path: 'SKILL.md', lines: [1, 2], heading: 'pdf' } as const;
    await expect(testLibrary(TREE).gateway.read(request)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('refuses a cursor of another query as REQUEST_INVALID', async () => {
    const { gateway } = testLibrary(TREE);
    const { nextCursor } = await gateway.search({ query: 'tables queries', limit: 1 });
    expect(nextCursor).toBeDefined();
    await expect(gateway.search({ query: 'forms', limit: 1, cursor: nextCursor! })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it('checks for a skill whose folder vanished, so that the next search does not return it', async () => {
    const { gateway, root, find } = testLibrary(TREE);
    await find('forms');
    rmSync(join(root, 'docs/pdf'), { recursive: true });
    await expect(gateway.load({ skill: 'docs/pdf' })).rejects.toMatchObject({
      code: 'SKILL_GONE',
      data: { skill: 'docs/pdf' },
    });
    // Within the same second no check is due.
    expect(await find('forms')).not.toContain('docs/pdf');
    await expect(gateway.load({ skill: 'docs/pdf' })).rejects.toMatchObject({ code: 'SKILL_UNKNOWN' });
  });

  it('reports a vanished skill as gone for each of its files', async () => {
    const { gateway, root, find } = testLibrary({ ...TREE, 'docs/pdf/references/fields.md': 'Fields' });
    await find('forms');
    rmSync(join(root, 'docs/pdf'), { recursive: true });
    await expect(gateway.read({ skill: 'pdf', path: 'references/fields.md' })).rejects.toMatchObject({
      code: 'SKILL_GONE',
    });
  });
});

describe('a skill that was deleted a moment ago', () => {
  it('is not named by the first search after that', async () => {
    const { root, find } = testLibrary({
      'tea/SKILL.md': skill('tea', 'Brew green tea'),
      'pot/SKILL.md': skill('pot', 'Clean the tea pot'),
    });
    expect(await find('green tea')).toContain('tea');
    rmSync(join(root, 'tea'), { recursive: true });
    expect(await find('green tea')).toEqual(['pot']);
  });
});

describe('two folders that hold skills of one id', () => {
  const twoRoots = (second: string) => {
    const [a, b] = [
      plant({ 'pdf/SKILL.md': skill('pdf', 'Fill in forms') }),
      plant({ 'pdf/SKILL.md': second }),
    ];
    return testLibrary(a, {
      sources: [localSource({ name: 'mine', root: a }), localSource({ name: 'theirs', root: b })],
    });
  };

  it('are distinguished by their source, and a name of both is ambiguous', async () => {
    const { gateway, find } = twoRoots(skill('pdf', 'Merge and split pages'));
    expect((await find('merge pages'))[0]).toBe('theirs:pdf');
    expect((await gateway.load({ skill: 'mine:pdf' })).entry.description).toBe('Fill in forms');
    await expect(gateway.load({ skill: 'pdf' })).rejects.toMatchObject({
      code: 'SKILL_AMBIGUOUS',
      data: {
        candidates: [
          { id: 'mine:pdf', description: 'Fill in forms' },
          { id: 'theirs:pdf', description: 'Merge and split pages' },
        ],
      },
    });
    expect((await gateway.load({ skill: 'skill://theirs/pdf/SKILL.md' })).entry.id).toBe('theirs:pdf');
    expect((await gateway.summary()).sources).toEqual([
      { name: 'mine', skills: 1 },
      { name: 'theirs', skills: 1 },
    ]);
  });

  it('that are copies of each other resolve by their name', async () => {
    const { gateway } = twoRoots(skill('pdf', 'Fill in forms'));
    expect((await gateway.load({ skill: 'pdf' })).entry.id).toBe('mine:pdf');
  });
});
