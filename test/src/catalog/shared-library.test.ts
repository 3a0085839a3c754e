/** Libraries of several projects that share the index of one user's skills, at the same time. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { readManifest } from '../../../index/manifest.ts';
import { indexDirectory } from '../../../src/catalog/index-directory.ts';
import { inProcessWorker } from '../../../src/catalog/indexing/worker-pool.ts';
import { localSource } from '../../../src/sources/local.ts';
import { readCatalog } from '../../../src/sources/scan/catalog.ts';
import { toyEmbedder } from '../../index/toy.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';
import { plant, type Tree } from '../sources/scan/tree.ts';

const HOME = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
};

/** Libraries of projects, all with the skills of one home. */
function projects() {
  const home = plant(HOME);
  const cache = plant({});
  const directory = indexDirectory(join(cache, 'shared'));
  const embedder = toyEmbedder();
  const atHome = localSource({ name: 'home', root: home });
  const shared = {
    directory,
    sources: new Set(['home']),
    catalog: () => readCatalog([atHome]),
    workers: inProcessWorker(directory, embedder),
  };
  const open = (name: string, tree: Tree) => {
    const sources = [localSource({ name: 'own', root: plant(tree) }), atHome];
    return testLibrary({}, { sources, shared, embedder, directory: indexDirectory(join(cache, name)) });
  };
  return { home, cache, directory, open };
}

/** What the index holds of `a`: all of its segments but the first, which is shared. */
const A = { 'sql/SKILL.md': skill('sql', 'Tune queries') };
const B = { 'css/SKILL.md': skill('css', 'Centre boxes') };

describe('two projects that are open at the same time', () => {
  it('answer on where the index of one, or the shared one, is deleted while they run', async () => {
    const { cache, open } = projects();
    const [a, b] = [open('a', A), open('b', B)];
    await Promise.all([a.find('forms'), b.find('forms')]);
    for (const folder of ['a', 'shared']) rmSync(join(cache, folder), { recursive: true });
    expect((await a.find('forms'))[0]).toBe('pdf');
    expect((await b.find('forms'))[0]).toBe('pdf');
    a.library.notice();
    await a.library.update();
    expect([...(await open('a', A).find(''))].sort()).toEqual(['csv', 'pdf', 'sql']);
  });
});

describe('a damaged file that several indexes have', () => {
  it('is rebuilt by each that finds the damage, and given to no further project', async () => {
    const { directory, open } = projects();
    const a = open('a', A);
    await a.library.update();
    await a.library.close();
    const { name } = readManifest(directory)!.segments[0]!;
    const bytes = readWhole(directory, name);
    const half = bytes.length >> 1;
    // Written in place, as a failing disk does: all links show it.
    for (const at of [directory, a.directory])
      writeWhole(at, name, bytes.fill(7, half - 1_500, half + 1_500));
    const again = open('a', A);
    await again.find('forms').catch(() => []);
    await expect.poll(() => again.find('forms').catch(() => [])).toContain('pdf');
    expect(again.log.join()).toMatch(/rebuilt/);
    expect(readManifest(directory)!.segments[0]!.name).not.toBe(name);
    expect((await open('b', B).find('forms'))[0]).toBe('pdf');
  });
});
