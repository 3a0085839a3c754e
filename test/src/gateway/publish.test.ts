import { describe, expect, it } from 'vitest';
import { publishableAt } from '../../../src/gateway/publish.ts';
import { skill, testLibrary } from './test-library.ts';

const TREE = {
  'docs/pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'docs/pdf/references/fields.md': 'Fields',
  'docs/pdf/nested/inner/SKILL.md': skill('inner', 'A skill within'),
  'odd/SKILL.md': skill('Not_The_Folder', 'Breaks the rules'),
};

describe('publishableAt', () => {
  const at = async (uri: string) => {
    const { library } = testLibrary(TREE);
    return publishableAt(library, (await library.current()).reader, uri);
  };

  it.each([
    ['skill://library/docs/pdf', 'docs/pdf'],
    ['skill://library/docs/pdf/SKILL.md', 'docs/pdf'],
    ['skill://library/docs/pdf/references/fields.md', 'docs/pdf'],
    ['skill://library/docs/pdf/nested/inner/SKILL.md', 'docs/pdf/nested/inner'],
  ])('%s lies in %s', async (uri, id) => {
    expect((await at(uri))?.entry.id).toBe(id);
  });

  it.each([
    ['skill://library/odd/SKILL.md'],
    ['skill://library'],
    ['skill://elsewhere/docs/pdf/SKILL.md'],
    ['file:///docs/pdf/SKILL.md'],
    [''],
    [`skill://library/docs/pdf/${'/'.repeat(50_000)}`],
    ['x'.repeat(200_000)],
  ])('nothing is served at %.40s', async (uri) => {
    expect(await at(uri)).toBeUndefined();
  });

  it('returns the bytes of its files and of no other', async () => {
    const skillOnDisk = (await at('skill://library/docs/pdf'))!;
    expect(skillOnDisk.files.map(({ path }) => path)).toEqual(['SKILL.md', 'references/fields.md']);
    expect(Buffer.from(await skillOnDisk.bytes('references/fields.md')).toString()).toBe('Fields');
    await expect(skillOnDisk.bytes('../../odd/SKILL.md')).rejects.toThrow('..');
    await expect(skillOnDisk.bytes('references')).rejects.toThrow('does not exist');
    await expect(skillOnDisk.bytes('references/none.md')).rejects.toThrow('does not exist');
  });
});
