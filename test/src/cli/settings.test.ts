import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { type CommonOptions, settingsOf } from '../../../src/cli/settings.ts';
import { plant, type Tree } from '../catalog/tree.ts';

/** Settings in a project of those files, with a home of its own beside it. */
function settings(options: CommonOptions, env: Record<string, string> = {}, tree: Tree = {}, below = '') {
  const place = plant({ home: null, 'project/deep': null, ...tree });
  const [cwd, home] = [join(place, 'project', below), join(place, 'home')];
  const found = settingsOf(options, { cwd, home, env });
  const own = (path: string) => path.replace(place, '');
  return { ...found, roots: found.roots.map(({ root }) => own(root)), index: own(found.indexFolder), own };
}
const config = (value: unknown): Tree => ({ 'project/.skillgate.json': JSON.stringify(value) });

describe('settingsOf', () => {
  const all = config({ skills: ['c'], index: 'ci', embedder: 'hub/c', vectors: 'hnsw' });
  const env = {
    SKILLGATE_SKILLS: 'e',
    SKILLGATE_INDEX: 'ei',
    SKILLGATE_EMBEDDER: 'hub/e',
    SKILLGATE_VECTORS: 'exact',
  };
  const flags = { skills: ['f'], index: 'fi', embedder: 'hub/f', vectors: 'auto' };
  const picked = ({ roots, index, embedder, vectors }: ReturnType<typeof settings>) => ({
    roots,
    index,
    embedder,
    vectors,
  });

  it('takes flags before the environment, that before the file, and that before the defaults', () => {
    const of = (name: string, vectors: string) => ({
      roots: [`/project/${name}`],
      index: `/project/${name}i`,
      embedder: `hub/${name}`,
      vectors,
    });
    expect(picked(settings(flags, env, all))).toEqual(of('f', 'auto'));
    expect(picked(settings({}, env, all))).toEqual(of('e', 'exact'));
    expect(picked(settings({}, {}, all))).toEqual(of('c', 'hnsw'));
    expect(settings({})).toMatchObject({ roots: [], embedder: undefined, vectors: 'auto' });
  });

  it('takes each setting by itself', () => {
    expect(picked(settings({ index: 'fi' }, { SKILLGATE_VECTORS: 'exact' }, all))).toEqual({
      roots: ['/project/c'],
      index: '/project/fi',
      embedder: 'hub/c',
      vectors: 'exact',
    });
  });

  it('takes an empty setting for none', () => {
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(picked(settings({ skills: [], index: '', embedder: '', vectors: '' }, empty, all))).toEqual(
      picked(settings({}, {}, all)),
    );
  });

  it('looks for the folders that hosts use where none is named', () => {
    const tree = { 'project/.claude/skills': null, 'home/.agents/skills': null };
    expect(settings({}, {}, tree).roots).toEqual(['/project/.claude/skills', '/home/.agents/skills']);
  });

  it('reads the nearest file upwards, whose paths are its own, models in folders among them', () => {
    const tree = config({ skills: ['./skills', '/elsewhere'], index: '../ix', embedder: './model' });
    const found = settings({}, {}, tree, 'deep');
    expect(found.roots).toEqual(['/project/skills', '/elsewhere']);
    expect(found.index).toBe('/ix');
    expect(found.own(found.embedder!)).toBe('/project/model');
  });

  it('knows the home directory wherever no shell has put it in', () => {
    expect(settings({ skills: ['~/s', '~'], index: '~/ix' })).toMatchObject({
      roots: ['/home/s', '/home'],
      index: '/home/ix',
    });
    expect(settings({}, {}, config({ skills: ['~/s'] })).roots).toEqual(['/home/s']);
    expect(settings({ skills: ['~other'] }).roots).toEqual(['/project/~other']);
  });

  it('keeps one index for each set of folders and model, in the cache', () => {
    const indexOf = (options: CommonOptions, more: Record<string, string> = {}) =>
      settingsOf(options, { cwd: '/p', home: '/h', env: more }).indexFolder;
    expect(indexOf({ skills: ['a'] })).toMatch(/^\/h\/\.cache\/skillgate\/[0-9a-f]{16}$/);
    expect(indexOf({ skills: ['a'] })).toBe(indexOf({ skills: ['/p/a'] }));
    const others = [{ skills: ['b'] }, { skills: ['a', 'b'] }, { skills: ['a'], embedder: 'hub/m' }];
    const folders = [{ skills: ['a'] }, ...others].map((options) => indexOf(options));
    expect(new Set(folders).size).toBe(4);
    expect(indexOf({ skills: ['a'] }, { XDG_CACHE_HOME: '/x' })).toMatch(/^\/x\/skillgate\//);
    for (const cache of ['', 'relative'])
      expect(indexOf({ skills: ['a'] }, { XDG_CACHE_HOME: cache })).toMatch(/^\/h\/\.cache\//);
  });

  it.each([
    ['is no JSON', '{', /cannot be read as JSON/],
    ['has a key that there is not', '{"skill": ["a"]}', /skill/],
    ['has a value of another type', '{"skills": "a"}', /skills/],
    ['asks for vectors that there are not', '{"vectors": "fast"}', /vectors/],
  ])('refuses a file that %s, naming it', (_, text, message) => {
    const tree = { 'project/.skillgate.json': text };
    expect(() => settings({}, {}, tree)).toThrow(
      expect.objectContaining({ code: EXIT.usage, message: expect.stringMatching(/\.skillgate\.json/) }),
    );
    expect(() => settings({}, {}, tree)).toThrow(message);
  });

  it('names the value that it refuses, wherever it came from', () => {
    expect(() => settings({}, { SKILLGATE_VECTORS: 'fast' })).toThrow('not "fast"');
  });
});
