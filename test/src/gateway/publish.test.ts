import { beforeEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { publishableAt } from '../../../src/gateway/publish.ts';
import { localSource } from '../../../src/sources/local.ts';
import { plant } from '../sources/scan/tree.ts';
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

const about = (id: string, name = id.split('/').at(-1)!) => ({
  [`${id}/SKILL.md`]: `---\nname: ${name}\ndescription: About ${id}.\n---\n# Body\n`,
});
let gateway: Gateway;
beforeEach(() => {
  const office = Object.assign(
    {},
    ...['forms/pdf-fill', 'pdf', 'pdf-merge', 'writing/letters'].map((id) => about(id)),
  );
  const roots = { office, home: { ...about('cook'), ...about('pdf-odd', 'Another Name') } };
  const sources = Object.entries(roots).map(([name, tree]) => localSource({ name, root: plant(tree) }));
  ({ gateway } = testLibrary({}, { sources }));
});

describe('publishable', () => {
  it('pages through all skills in order of id, and ends after the last', async () => {
    const ids: string[][] = [];
    let cursor: string | undefined;
    for (let more = true; more; ) {
      const page = await gateway.publishable({ limit: 2, ...(cursor !== undefined && { cursor }) });
      ids.push(page.skills.map(({ entry }) => entry.id));
      cursor = page.skills.at(-1)?.cursor;
      more = page.more;
    }
    expect(ids).toEqual([
      ['cook', 'forms/pdf-fill'],
      ['pdf', 'pdf-merge'],
      ['pdf-odd', 'writing/letters'],
    ]);
  });

  it('ends each URI in the name that is served, also where the folder is called otherwise', async () => {
    const { skills } = await gateway.publishable({ limit: 500 });
    const odd = skills.find(({ entry }) => entry.id === 'pdf-odd');
    expect(odd?.root).toBe('skill://home/pdf-odd/-/another-name');
    expect(odd?.entry.uri).toBe('skill://home/pdf-odd/-/another-name/SKILL.md');
    const found = await gateway.publishableAt('skill://home/pdf-odd/-/another-name/references/a.md');
    expect(found?.entry.id).toBe('pdf-odd');
    expect((await gateway.load({ skill: 'skill://home/pdf-odd/-/another-name/SKILL.md' })).entry.id).toBe(
      'pdf-odd',
    );
  });

  it('finds a skill at skill://<name>/… where only one has the name, in publishableAt and load', async () => {
    const found = await gateway.publishableAt('skill://letters/references/a.md');
    expect(found).toMatchObject({ root: 'skill://letters', entry: { id: 'writing/letters' } });
    expect((await gateway.load({ skill: 'skill://letters/SKILL.md' })).entry.id).toBe('writing/letters');
    expect(await gateway.publishableAt('skill://none/SKILL.md')).toBeUndefined();
    await expect(gateway.load({ skill: 'skill://none/SKILL.md' })).rejects.toMatchObject({
      code: 'SKILL_UNKNOWN',
    });
  });

  it('has cursors that the other list refuses, and the other way round', async () => {
    const { nextCursor = '' } = await gateway.list({ limit: 1 });
    const next = await gateway.list({ limit: 1, cursor: nextCursor });
    expect(next.entries).toMatchObject([{ id: 'forms/pdf-fill' }]);
    const [first] = (await gateway.publishable({ limit: 1 })).skills;
    await expect(gateway.list({ limit: 1, cursor: first?.cursor ?? '' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await expect(gateway.publishable({ limit: 1, cursor: nextCursor })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });
});

describe('completeUri', () => {
  const complete = (text: string, limit = 10) => gateway.completeUri({ text, limit });

  it('ranks ids that begin with the text, then last segments that do, then ids that contain it', async () => {
    expect(await complete('pdf')).toEqual([
      'skill://office/pdf/SKILL.md',
      'skill://office/pdf-merge/SKILL.md',
      'skill://home/pdf-odd/-/another-name/SKILL.md',
      'skill://office/forms/pdf-fill/SKILL.md',
    ]);
    expect(await complete('ETT')).toEqual(['skill://office/writing/letters/SKILL.md']);
  });

  it('accepts a source’s name or its prefix, and then returns only its skills', async () => {
    expect(await complete('home/c')).toEqual(['skill://home/cook/SKILL.md']);
    expect(await complete('hom')).toHaveLength(2);
    expect(await complete('home/')).toHaveLength(2);
    expect(await complete('home/pdf')).toEqual(['skill://home/pdf-odd/-/another-name/SKILL.md']);
    expect(await complete('office/w')).toEqual(['skill://office/writing/letters/SKILL.md']);
  });

  it('returns up to the limit, and all skills for an empty text', async () => {
    expect(await complete('')).toHaveLength(6);
    expect(await complete('', 2)).toHaveLength(2);
    await expect(complete('', 0)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });
});
