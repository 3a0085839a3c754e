import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LocalSourceOptions, localSource } from '../../../src/sources/local.ts';
import { describeSource } from '../../contracts/source.ts';
import { add, plant, skillText, type Tree } from './scan/tree.ts';

const TEA = skillText('tea');

async function scan(root: string, options: Omit<LocalSourceOptions, 'name' | 'root'> = {}) {
  const source = localSource({ name: 'house', root, ...options });
  const { folders, diagnostics } = await source.scan();
  return {
    source,
    folders,
    ids: folders.map(({ id }) => id),
    diagnostics,
    found: diagnostics.map(({ id, path }) => `${id} ${path}`),
  };
}

const scanTree = (tree: Tree) => scan(plant(tree));

describeSource('localSource', (name, files) => localSource({ name, root: plant(files) }));

describe('localSource', () => {
  it('reports a plugin that was not understood, and scans nothing of it', async () => {
    const root = plant({ 'tea/SKILL.md': skillText('tea') });
    const { folders, diagnostics } = await localSource({ name: 'plugin-tea', root, remark: 'Odd.' }).scan();
    expect(folders).toEqual([]);
    expect(diagnostics.map(({ id, message }) => `${id} ${message}`)).toEqual(['plugin-layout Odd.']);
  });

  it('does not report a missing optional root, but reports a broken link there', async () => {
    const place = plant({ link: { to: 'nowhere' } });
    expect((await scan(join(place, 'none'), { optional: true })).found).toEqual([]);
    expect((await scan(join(place, 'none'))).found).toEqual(['root-missing .']);
    expect((await scan(join(place, 'link'), { optional: true })).diagnostics).toMatchObject([
      { id: 'root-missing', message: expect.stringMatching(/link does not lead to a directory/) },
    ]);
  });

  it('finds skill files in any spelling, and prefers the exact one', async () => {
    const { folders } = await scanTree({
      'a/skill.md': TEA,
      'b/Skill.MD': TEA,
      'c/skill.md': TEA,
      'c/SKILL.md': TEA,
      'd/SKILL.markdown': TEA,
    });
    expect(folders.map(({ id, file, files }) => [id, file, files.length])).toEqual([
      ['a', 'skill.md', 1],
      ['b', 'Skill.MD', 1],
      ['c', 'SKILL.md', 2],
    ]);
    expect(folders[2]?.files[1]).toMatchObject({ path: 'skill.md', kind: 'reference' });
  });

  it('names a skill at the root after the root’s folder', async () => {
    const root = plant({ 'SKILL.md': TEA, 'references/a.md': 'x', 'inner/SKILL.md': TEA });
    const { folders } = await scan(root);
    const name = basename(root);
    expect(folders.map(({ id, uri, files }) => [id, uri, files.length])).toContainEqual([
      ...[name, `skill://house/${encodeURIComponent(name)}/SKILL.md`, 2],
    ]);
    add(root, { [`${name}/SKILL.md`]: TEA });
    expect((await scan(root)).ids.sort()).toEqual(['inner', name, `${name}.`].sort());
  });

  it('finds skills in hidden directories, but lists no hidden files of a skill', async () => {
    const { folders } = await scanTree({
      '.claude/skills/tea/SKILL.md': TEA,
      'pot/SKILL.md': TEA,
      'pot/.env': 'x',
      'pot/.cursor/rules.md': 'x',
      'pot/.claude/skills/cup/SKILL.md': TEA,
    });
    expect(folders.map(({ id, files }) => [id, files.length])).toEqual([
      ['.claude/skills/tea', 1],
      ['pot', 1],
      ['pot/.claude/skills/cup', 1],
    ]);
  });

  it('skips version control, installed packages and caches', async () => {
    const { ids } = await scanTree({
      '.git/SKILL.md': TEA,
      'node_modules/x/SKILL.md': TEA,
      'a/node_modules/SKILL.md': TEA,
      'a/.venv/SKILL.md': TEA,
      'a/SKILL.md': TEA,
    });
    expect(ids).toEqual(['a']);
  });

  it('scans 12 levels, and reports what it left out', async () => {
    const folder = Array.from({ length: 13 }, (_, at) => at).join('/');
    const tree = { [`${folder.slice(0, -3)}/SKILL.md`]: TEA, [`${folder}/SKILL.md`]: TEA };
    expect(await scanTree(tree)).toMatchObject({
      ids: [folder.slice(0, -3)],
      found: [`folder-too-deep ${folder}`],
    });
  });

  it('lists the files of a skill that has more than the Skills extension passes on, and says so', async () => {
    const files = Object.fromEntries(Array.from({ length: 520 }, (_, at) => [`a/f${at}.txt`, '']));
    const { folders, diagnostics } = await scanTree({ ...files, 'a/SKILL.md': TEA, 'a/z/SKILL.md': TEA });
    expect(folders.map(({ files: { length } }) => length)).toEqual([521, 1]);
    expect(diagnostics).toMatchObject([
      { id: 'files-unpublished', path: 'a', message: expect.stringContaining('has 521 files') },
    ]);
  });

  it('lists 10,000 files of a skill and reports how many there are', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`a/f${at}.txt`, '']));
    const { folders, diagnostics } = await scanTree({ ...files, 'a/SKILL.md': TEA });
    expect(folders.map(({ files: { length } }) => length)).toEqual([10_000]);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        id: 'files-too-many',
        message: 'The skill has 10002 files; 10000 are listed.',
      }),
    );
  });

  it('scans many empty folders', async () => {
    const folders = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`e${at}`, null]));
    expect(await scanTree({ ...folders, 'tea/SKILL.md': TEA })).toMatchObject({ ids: ['tea'], found: [] });
  });

  it('changes a stamp with a file’s name, size or time, and with nothing else', async () => {
    const root = plant({ 'a/SKILL.md': TEA, 'a/x.md': 'one', 'b/SKILL.md': TEA });
    const stamps = async () => (await scan(root)).folders.map(({ stamp }) => stamp);
    const [a, b] = await stamps();
    expect(await stamps()).toEqual([a, b]);
    const seen = new Set([a]);
    const steps = [
      () => writeFileSync(join(root, 'a/x.md'), 'longer'),
      () => utimesSync(join(root, 'a/x.md'), 1, 1),
      () => writeFileSync(join(root, 'a/y.md'), ''),
      () => rmSync(join(root, 'a/x.md')),
    ];
    for (const step of steps) {
      step();
      const [next, other] = await stamps();
      expect(seen).not.toContain(next);
      seen.add(next);
      expect(other).toBe(b);
    }
  });

  describe('given a root that is not a directory', () => {
    it('reports that it does not exist', async () => {
      expect(await scan(join(plant({}), 'gone'))).toMatchObject({ ids: [], found: ['root-missing .'] });
    });

    it('reports that it is a file', async () => {
      const root = join(plant({ file: '' }), 'file');
      expect(await scan(root)).toMatchObject({ ids: [], found: ['root-not-a-directory .'] });
    });

    it('follows it if it is a link', async () => {
      const root = plant({ 'real/tea/SKILL.md': TEA, link: { to: 'real' } });
      expect((await scan(join(root, 'link'))).folders).toMatchObject([
        { id: 'tea', folder: join(root, 'real/tea') },
      ]);
    });
  });

  describe('given symbolic links', () => {
    it('follows a link at the top level to a skill anywhere, under the link’s name', async () => {
      const elsewhere = plant({ 'tea-skill/SKILL.md': TEA, 'tea-skill/references/a.md': 'x' });
      const { folders, found } = await scanTree({ tea: { to: join(elsewhere, 'tea-skill') } });
      expect(folders).toMatchObject([
        { id: 'tea', uri: 'skill://house/tea/SKILL.md', folder: join(elsewhere, 'tea-skill') },
      ]);
      expect(folders[0]?.files).toHaveLength(2);
      expect(found).toEqual([]);
    });

    it('follows none at lower levels, and none to a directory that is not a skill', async () => {
      const elsewhere = plant({ 'tea/SKILL.md': TEA });
      const tree = { 'a/tea': { to: join(elsewhere, 'tea') }, b: { to: elsewhere } };
      expect(await scanTree(tree)).toMatchObject({
        ids: [],
        found: ['link-outside b', 'link-outside a/tea'],
      });
    });

    it('counts a directory inside the root once, however many links lead to it', async () => {
      const { ids, found } = await scanTree({
        'a/tea/SKILL.md': TEA,
        'b/link': { to: '../a' },
        'c/SKILL.md': TEA,
        d: { to: 'c' },
      });
      expect(ids).toEqual(['a/tea', 'c']);
      expect(found).toEqual(['link-loop d', 'link-loop b/link']);
    });

    it('ends if links form a cycle', async () => {
      const root = plant({ 'a/SKILL.md': TEA, 'a/self': { to: '.' }, b: { to: 'b' }, up: { to: '..' } });
      const { ids, found } = await scan(root);
      expect(ids).toEqual(['a']);
      expect(found).toEqual(['link-broken b', 'link-outside up']);
    });

    it('does not scan the root again through a link to a skill above it', async () => {
      const project = plant({
        'SKILL.md': TEA,
        '.claude/skills/pot/SKILL.md': TEA,
        '.claude/skills/self': { to: '../..' },
      });
      expect((await scan(join(project, '.claude/skills'))).ids).toEqual(['pot', 'self']);
    });

    it('leaves out links that leave the skill’s folder, and reports broken ones', async () => {
      const root = plant({
        secret: 'x',
        'tea/SKILL.md': TEA,
        'tea/a.md': 'x',
        'tea/leak.md': { to: '../secret' },
        'tea/copy.md': { to: 'a.md' },
        'tea/gone.md': { to: 'nowhere' },
        'tea/up': { to: '..' },
      });
      const { folders, found } = await scan(root);
      expect(folders[0]?.files.map(({ path }) => path)).toEqual(['SKILL.md', 'a.md', 'copy.md']);
      expect(found).toEqual(['link-broken tea/gone.md', 'link-outside tea/leak.md', 'link-outside tea/up']);
    });

    it('refuses a skill file that links out of its folder, and one that links to what is not listed', async () => {
      const elsewhere = plant({ 'SKILL.md': TEA });
      const { folders, found } = await scanTree({
        'shared/tea.md': TEA,
        'a/SKILL.md': { to: '../shared/tea.md' },
        'b/SKILL.md': { to: join(elsewhere, 'SKILL.md') },
        'c/SKILL.md': { to: '../shared' },
        'd/SKILL.md': { to: 'docs/tea.md' },
        'd/docs/tea.md': TEA,
        'e/SKILL.md': { to: '.hidden/tea.md' },
        'e/.hidden/tea.md': TEA,
      });
      expect(folders.map(({ id, files }) => [id, files.length])).toEqual([['d', 2]]);
      expect(found).toEqual([
        'link-outside a/SKILL.md',
        'link-outside b/SKILL.md',
        'link-loop c/SKILL.md',
        'link-outside e/SKILL.md',
      ]);
    });
  });

  it('lists the files of one skill as a whole scan does, and none once its folder is a link', async () => {
    const root = plant({
      'tea/SKILL.md': TEA,
      'tea/.env': 'x',
      'tea/copy.md': { to: 'own.md' },
      'tea/own.md': 'x',
      'tea/inner/SKILL.md': TEA,
      'tea/inner/a.md': 'x',
      'out/SKILL.md': TEA,
    });
    const source = localSource({ name: 'house', root });
    const { folders } = await source.scan();
    expect(folders.map(({ id }) => id)).toEqual(['out', 'tea', 'tea/inner']);
    for (const { folder, files } of folders) expect(await source.filesOf(folder)).toEqual(files);
    renameSync(join(root, 'tea'), join(root, 'moved'));
    symlinkSync('out', join(root, 'tea'));
    expect(await source.filesOf(join(root, 'tea'))).toEqual([]);
    expect(await source.filesOf(join(root, 'none'))).toEqual([]);
  });

  describe('that follows no links', () => {
    it('lists none of them, names each that would matter, and reads no skill outside the root', async () => {
      const elsewhere = plant({ 'tea/SKILL.md': TEA });
      const root = plant({
        'a/SKILL.md': TEA,
        'a/own.md': 'x',
        'a/alias.md': { to: 'own.md' },
        'b/SKILL.md': { to: '../a/SKILL.md' },
        c: { to: join(elsewhere, 'tea') },
        d: { to: 'a' },
        'readme.md': { to: 'a/own.md' },
      });
      const { folders, found, source } = await scan(root, { links: 'none' });
      expect(folders.map(({ id, files }) => [id, files.map(({ path }) => path)])).toEqual([
        ['a', ['SKILL.md', 'own.md']],
      ]);
      expect(found).toEqual([
        'link-forbidden c',
        'link-forbidden d',
        'link-forbidden a/alias.md',
        'link-forbidden b/SKILL.md',
      ]);
      expect(await source.filesOf(join(root, 'a'))).toEqual(folders[0]?.files);
      expect(await source.filesOf(join(elsewhere, 'tea'))).toEqual([]);
    });

    it('finds the same as a source that does, where there are none', async () => {
      const root = plant({ 'a/SKILL.md': TEA, 'a/b/c.md': 'x', 'a/b/SKILL.md': TEA, 'z.md': 'x' });
      const strict = await scan(root, { links: 'none' });
      expect(strict.folders).toEqual((await scan(root)).folders);
      // Where the root itself leads is for the operator who names it.
      symlinkSync(root, `${root}-link`);
      expect((await scan(`${root}-link`, { links: 'none' })).ids).toEqual(['a', 'a/b']);
    });
  });

  it('reports a directory or FIFO in the place of a skill file', async () => {
    const root = plant({ 'a/SKILL.md/x.md': 'x', 'b/SKILL.md': TEA, 'c/.keep': '' });
    execFileSync('mkfifo', [join(root, 'c', 'SKILL.md')]);
    expect(await scan(root)).toMatchObject({
      ids: ['b'],
      found: ['skill-file-special a/SKILL.md', 'skill-file-special c/SKILL.md'],
    });
  });

  it('reports a directory that vanishes while it scans, and keeps the rest', async () => {
    const skills = Array.from({ length: 200 }, (_, at) => [`s${String(at).padStart(3, '0')}/SKILL.md`, TEA]);
    const root = plant(Object.fromEntries(skills));
    const pending = localSource({ name: 'house', root }).scan();
    // The scan yields for the first time after its first slice of directories.
    rmSync(join(root, 's199'), { recursive: true });
    const { folders, diagnostics } = await pending;
    expect(folders).toHaveLength(199);
    expect(diagnostics).toMatchObject([{ id: 'folder-unreadable', path: 's199' }]);
  });

  it('reports a file whose name cannot be decoded, and keeps the skill', async () => {
    const root = plant({ 'tea/SKILL.md': TEA });
    const name = Buffer.concat([Buffer.from(join(root, 'tea/')), Buffer.from([0xff]), Buffer.from('.md')]);
    writeFileSync(name, 'x');
    expect(await scan(root)).toMatchObject({ ids: ['tea'], found: ['file-unreadable tea/\uFFFD.md'] });
  });
});
