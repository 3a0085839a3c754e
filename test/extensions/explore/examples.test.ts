import { describe, expect, it, vi } from 'vitest';
import { requestsIn } from '../../../extensions/explore/examples.ts';
import { Remarks } from '../../../extensions/explore/remarks.ts';
import { draftRanks } from '../../../extensions/explore/skill.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

const TREE = {
  'rollback/SKILL.md': skill('rollback', 'Undo a failed schema migration of postgres'),
  'deploy/SKILL.md': skill('deploy', 'Deploy a release of the shop to production'),
  'backup/SKILL.md': skill('backup', 'Back up the database of the shop every night'),
};

describe('requestsIn', () => {
  it.each([
    [
      'what is quoted',
      'Draws covers. Use when the user says "generate a cover image", or similar.',
      ['generate a cover image'],
    ],
    [
      'what a person wants to do',
      'Use when the user wants to roll back a migration.',
      ['roll back a migration'],
    ],
    ['no comma at the end', 'Use when the user says "who can reach me," or the like.', ['who can reach me']],
    ['no half of a sentence', 'Use when the user asks for building C# applications with', []],
    [
      'no situation without a person',
      'Use when you have raw mass spectrometry data from direct-infusion',
      [],
    ],
    ['nothing that points elsewhere', 'Use when the user says "make a skill from their template".', []],
    ['no single word', 'Triggers: "infrastructure-as-code".', []],
  ])('gives %s', (_, description, requests) => {
    expect(requestsIn(description)).toEqual(requests);
  });
});

describe('draftRanks', () => {
  it('refuses a skill that the view does not have', async () => {
    const index = await testLibrary(TREE).library.current();
    await expect(draftRanks({ skill: 'none', description: '', queries: ['a'] }, index)).rejects.toMatchObject(
      {
        code: 'SKILL_UNKNOWN',
      },
    );
  });
});

describe('Remarks', () => {
  it('finds what validate finds, with the place and what to do', async () => {
    const { library } = testLibrary({
      ...TREE,
      'broken/SKILL.md':
        '---\nname: Broken_Name\ndescription: Fix things. Use when asked.\n---\nSee [the guide](references/none.md).\n',
    });
    const index = await library.current();
    const remarks = new Remarks();
    expect(remarks.in(index, library).read).toBe(0);
    await vi.waitFor(() => expect(remarks.in(index, library).read).toBe(1), { timeout: 100_000 });
    expect(remarks.in(index, library).remarks.get('broken')).toContainEqual(
      expect.objectContaining({
        id: 'link-dead',
        path: 'SKILL.md',
        position: expect.objectContaining({ line: 5 }),
        message: expect.stringContaining('none.md'),
      }),
    );
  });

  it('reads again only the skills that changed', async () => {
    const { library } = testLibrary(TREE);
    const index = await library.current();
    const asked: string[] = [];
    const view = {
      filesOf: (entry: { readonly source: string; readonly folder: string }) => {
        asked.push(entry.folder);
        return library.filesOf(entry);
      },
    };
    const remarks = new Remarks();
    remarks.in(index, view);
    await vi.waitFor(() => expect(remarks.in(index, view).read).toBe(1), { timeout: 100_000 });
    const smaller = { ...index, reader: index.reader.restrictedTo(Uint8Array.of(1, 1, 0)) };
    expect(remarks.in(smaller, view).read).toBe(1);
    expect(asked).toHaveLength(3);
  });
});
