import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openLibrary, threadsWithin } from '../../../src/app/open-library.ts';
import { whyNotWritable } from '../../../src/catalog/writable-index.ts';
import { search } from '../../../src/search/search.ts';
import { needsThat } from '../../needs.ts';
import { skill } from '../catalog/indexing/workshop.ts';
import { plant } from '../sources/scan/tree.ts';

const GB = 2 ** 30;

describe('threadsWithin', () => {
  it('takes one thread per core, up to eight, with enough memory', () => {
    expect(threadsWithin(16 * GB, 2)).toBe(2);
    expect(threadsWithin(16 * GB, 64)).toBe(8);
  });

  it('takes fewer threads in a small container, but at least one', () => {
    // (2048 MB − 800 MB) ÷ 300 MB = 4.16
    expect(threadsWithin(2 * GB, 64)).toBe(4);
    expect(threadsWithin(1 * GB, 64)).toBe(1);
  });
});

describe('an index folder that cannot be written', () => {
  it(
    'is made up for in memory, and each answer says why',
    needsThat(process.platform === 'linux', 'Linux'),
    async () => {
      const root = plant({ 'skills/pdf/SKILL.md': skill('pdf', 'Fill in forms') });
      const log = vi.fn();
      const library = await openLibrary(
        {
          roots: [{ name: 's', root: join(root, 'skills'), optional: false, links: 'none' as const }],
          // No file system lets anyone write there.
          indexFolder: '/sys/skillgate/index',
          cacheFolder: join(root, 'cache'),
          embedder: undefined,
          vectors: 'auto' as const,
        },
        { log },
      );
      const { hits, retrieval } = await search({ query: 'forms', limit: 3 }, await library.current());
      expect(hits.map(({ entry }) => entry.id)).toEqual(['pdf']);
      expect(retrieval.note).toMatch(
        /^The index is in memory .* \/sys\/skillgate\/index cannot be written \(/,
      );
      expect(log).toHaveBeenCalledTimes(1);
      await library.close();
    },
  );

  it.each([
    ['can be written', 'new/index', false],
    ['is a file, which is a mistake to report', 'file/index', false],
  ])('is not one that %s', (_, path, expected) => {
    const root = plant({ file: 'text' });
    expect(whyNotWritable(join(root, path)) !== null).toBe(expected);
    expect(readdirSync(root)).toEqual(['file']);
  });
});

describe('a model that cannot be loaded', () => {
  const settingsFor = (root: string) => ({
    roots: [{ name: 's', root: join(root, 'skills'), optional: false, links: 'none' as const }],
    indexFolder: join(root, 'index'),
    cacheFolder: join(root, 'cache'),
    embedder: join(root, 'no-model'),
    vectors: 'auto' as const,
  });

  it('leaves a server with words, and each answer says which model and why', async () => {
    const root = plant({ 'skills/pdf/SKILL.md': skill('pdf', 'Fill in forms') });
    const log = vi.fn();
    const library = await openLibrary(settingsFor(root), { log, orWordsOnly: true });
    const { hits, retrieval } = await search({ query: 'forms', limit: 3 }, await library.current());
    expect(hits.map(({ entry }) => entry.id)).toEqual(['pdf']);
    expect(retrieval).toMatchObject({
      mode: 'lexical',
      note: expect.stringContaining(`There is no folder ${root}/no-model`),
    });
    expect(log).toHaveBeenCalledWith(expect.stringContaining('no-model'));
    await library.close();
  });

  it('fails a command', async () => {
    await expect(openLibrary(settingsFor(plant({})), { log: () => {} })).rejects.toMatchObject({
      code: 'MODEL_MISSING',
    });
  });
});
