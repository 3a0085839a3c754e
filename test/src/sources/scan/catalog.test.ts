import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSource } from '../../../../src/sources/local.ts';
import { readCatalog } from '../../../../src/sources/scan/catalog.ts';
import { add, plant, skillText } from './tree.ts';

const TEA = skillText('tea');
const POT = skillText('pot');

describe('readCatalog', () => {
  it('is empty without sources', async () => {
    const { folders, diagnostics } = await readCatalog([]);
    expect({ folders, diagnostics }).toEqual({ folders: [], diagnostics: [] });
  });

  it('lists the skills of all sources in order of id', async () => {
    const first = localSource({ name: 'first', root: plant({ 'z/SKILL.md': TEA, 'a/SKILL.md': TEA }) });
    const second = localSource({ name: 'second', root: plant({ 'm/SKILL.md': TEA }) });
    const { folders } = await readCatalog([first, second]);
    expect(folders.map(({ id, source }) => [id, source])).toEqual([
      ['a', 'first'],
      ['m', 'second'],
      ['z', 'first'],
    ]);
  });

  it('qualifies exactly the ids that collide', async () => {
    const roots = [plant({ 'tea/SKILL.md': TEA, 'pot/SKILL.md': POT }), plant({ 'tea/SKILL.md': TEA })];
    const { folders, diagnostics } = await readCatalog([
      localSource({ name: 'home', root: roots[0]! }),
      localSource({ name: 'team', root: roots[1]! }),
    ]);
    expect(folders.map(({ id, uri }) => [id, uri])).toEqual([
      ['home:tea', 'skill://home/tea/SKILL.md'],
      ['pot', 'skill://home/pot/SKILL.md'],
      ['team:tea', 'skill://team/tea/SKILL.md'],
    ]);
    expect(diagnostics).toMatchObject([{ id: 'id-collision', path: 'tea' }]);
  });

  it('counts a skill once, for the first source, if roots repeat or nest', async () => {
    const root = plant({ 'team/tea/SKILL.md': TEA, 'pot/SKILL.md': POT });
    const whole = localSource({ name: 'whole', root });
    const part = localSource({ name: 'part', root: join(root, 'team') });
    const inOrder = await readCatalog([whole, part, whole]);
    expect(inOrder.folders.map(({ id, source }) => [id, source])).toEqual([
      ['pot', 'whole'],
      ['team/tea', 'whole'],
    ]);
    expect(inOrder.diagnostics).toMatchObject([
      { id: 'source-repeated', message: expect.stringContaining('1 skills of part') },
      { id: 'source-repeated', message: expect.stringContaining('2 skills of whole') },
    ]);
    const reversed = await readCatalog([part, whole]);
    expect(reversed.folders.map(({ id, source }) => [id, source])).toEqual([
      ['pot', 'whole'],
      ['tea', 'part'],
    ]);
    add(root, { link: { to: 'team' } });
    const linked = await readCatalog([part, localSource({ name: 'link', root: join(root, 'link') })]);
    expect(linked.folders.map(({ id, source }) => [id, source])).toEqual([['tea', 'part']]);
  });

  it('has a digest that changes only with the skills and their files', async () => {
    const root = plant({ 'tea/SKILL.md': TEA });
    const digest = async () => (await readCatalog([localSource({ name: 'house', root })])).digest;
    const before = await digest();
    add(root, { 'no-skill/readme.md': 'x' });
    expect(await digest()).toBe(before);
    add(root, { 'tea/references/leaves.md': 'x' });
    const after = await digest();
    expect(after).not.toBe(before);
    add(root, { 'pot/SKILL.md': POT });
    expect(await digest()).not.toBe(after);
  });

  it('keeps the skills of one source if another fails', async () => {
    const root = plant({ 'tea/SKILL.md': TEA });
    const { folders, diagnostics } = await readCatalog([
      localSource({ name: 'gone', root: join(root, 'gone') }),
      localSource({ name: 'house', root }),
    ]);
    expect(folders.map(({ id }) => id)).toEqual(['tea']);
    expect(diagnostics.map(({ id }) => id)).toEqual(['root-missing']);
  });

  it('stops when its signal is aborted', async () => {
    const skills = Array.from({ length: 100 }, (_, at) => [`s${at}/SKILL.md`, TEA]);
    const source = localSource({ name: 'house', root: plant(Object.fromEntries(skills)) });
    await expect(readCatalog([source], AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
