import { describe, expect, it, vi } from 'vitest';
import { Remarks } from '../../../extensions/explore/remarks.ts';
import { startView, whyView } from '../../../extensions/explore/views.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

const TREE = {
  'rollback/SKILL.md': skill('rollback', 'Undo a failed schema migration of postgres'),
  'deploy/SKILL.md': skill('deploy', 'Deploy a release of the shop to production'),
  'backup/SKILL.md': skill('backup', 'Back up the database of the shop every night'),
};

describe('startView', () => {
  it('gives requests that skills say they are for, without whose they are and without quotes, and leaves out halves of sentences', async () => {
    const { library } = testLibrary({
      'mail/SKILL.md': skill(
        'mail',
        'Sends mail. Use when the user asks for a mail to all customers, or to one.',
      ),
      'cover/SKILL.md': skill(
        'cover',
        'Draws covers. Use when the user says "generate a cover image", or similar.',
      ),
      'icon/SKILL.md': skill('icon', 'Draws icons. Use when the user wants an icon "like this, or that".'),
      'csv/SKILL.md': skill('csv', 'Cleans tables. Use when has many rows of broken values.'),
    });
    const { examples } = await startView(library);
    expect(examples).toEqual(['generate a cover image', 'a mail to all customers']);
  });
});

describe('whyView', () => {
  it('sums up who would lose over all queries', async () => {
    const body = '# Steps\n\nDo it.\n';
    const tree = {
      'rollback/SKILL.md': skill(
        'rollback',
        'Undo a failed schema migration of a large postgres database',
        body,
      ),
      'shop/SKILL.md': skill('shop', 'Look after an online shop with all its orders and customers', body),
      'backup/SKILL.md': skill('backup', 'Copies of everything, every night', body),
    };
    const index = await testLibrary(tree).library.current();
    const { id, rows, losers } = await whyView(
      {
        skill: 'backup',
        description: 'Postgres database, shop orders',
        queries: ['postgres database', 'shop orders'],
      },
      index,
    );
    expect(id).toBe('backup');
    expect(rows).toHaveLength(2);
    const gained = rows.reduce((sum, { before, after }) => sum + Math.max(0, before - after), 0);
    expect(losers.reduce((sum, { queries }) => sum + queries, 0)).toBe(gained);
    expect(gained).toBeGreaterThan(0);
  });

  it('refuses a skill that the view does not have', async () => {
    const index = await testLibrary(TREE).library.current();
    await expect(whyView({ skill: 'none', description: '', queries: ['a'] }, index)).rejects.toMatchObject({
      code: 'SKILL_UNKNOWN',
    });
  });
});

describe('Remarks', () => {
  const BROKEN = {
    ...TREE,
    'broken/SKILL.md':
      '---\nname: Broken_Name\ndescription: Fix things. Use when asked.\n---\nSee [the guide](references/none.md).\n',
    'bare/SKILL.md': 'Only text.\n',
  };

  it('finds what validate finds, by kind, the worst first, with what to do', async () => {
    const { library } = testLibrary(BROKEN);
    const index = await library.current();
    const remarks = new Remarks();
    expect(remarks.of(index, library)).toMatchObject({ state: 'working', share: 0 });
    await vi.waitFor(() => expect(remarks.of(index, library).state).toBe('done'), { timeout: 20_000 });
    const found = remarks.of(index, library);
    const kinds = found.state === 'done' ? found.result : [];
    expect(kinds.find(({ id }) => id === 'frontmatter-missing')).toMatchObject({
      severity: 'warning',
      skills: 1,
      found: [{ skill: 'bare' }],
    });
    const dead = kinds.find(({ found: [first] }) => first?.message.includes('references/none.md'));
    expect(dead?.found[0]).toMatchObject({ skill: 'broken', at: 'SKILL.md:5' });
    const order = ['error', 'warning', 'info'];
    const severities = kinds.map(({ severity }) => order.indexOf(severity));
    expect(severities).toEqual(severities.toSorted());
  });

  it('reads again only the skills that changed', async () => {
    const { library } = testLibrary(TREE);
    const index = await library.current();
    const asked: string[] = [];
    const view = {
      filesOf: (entry: { readonly source: string; readonly folder: string }) => {
        asked.push(entry.folder.split('/').at(-1)!);
        return library.filesOf(entry);
      },
    };
    const remarks = new Remarks();
    remarks.of(index, view);
    await vi.waitFor(() => expect(remarks.of(index, view).state).toBe('done'), { timeout: 20_000 });
    const smaller = { ...index, reader: index.reader.restrictedTo(Uint8Array.of(1, 1, 0)) };
    expect(remarks.of(smaller, view).state).toBe('done');
    expect(asked).toHaveLength(3);
  });
});
