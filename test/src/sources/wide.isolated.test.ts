import type { Dirent } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { diagnose } from '../../../src/skills/diagnostics.ts';
import { localSource } from '../../../src/sources/local.ts';
import { readCatalog } from '../../../src/sources/scan/catalog.ts';
import { plant } from './scan/tree.ts';

/** More than the arguments a call can take. */
const MANY = 150_000;
const root = plant({ 'one/SKILL.md': 'One.' });

/** Lists many empty folders in the root, in addition to the real one. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const empty = (_: unknown, at: number) =>
    Object.assign(Object.create(fs.Dirent.prototype) as Dirent, {
      name: `empty-${at}`,
      isDirectory: () => true,
      isSymbolicLink: () => false,
      isFile: () => false,
    });
  const readdirSync = (path: string, options: { withFileTypes: true }) => {
    if (path.includes('empty-')) return [];
    const entries = fs.readdirSync(path, options);
    return entries.some(({ name }) => name === 'one')
      ? [...entries, ...Array.from({ length: MANY }, empty)]
      : entries;
  };
  return { ...fs, readdirSync };
});

it('finds the skill in a directory of 150,000 folders', async () => {
  const { folders, diagnostics } = await localSource({ name: 'wide', root }).scan();
  expect(folders.map(({ id }) => id)).toEqual(['one']);
  expect(diagnostics.map(({ id }) => id)).toEqual(['folders-without-skills']);
});

it('passes on 150,000 diagnostics of a source', async () => {
  const remark = diagnose('folder-unreadable', 'x', 'It cannot be listed.');
  const scan = async () => ({ folders: [], diagnostics: Array.from({ length: MANY }, () => remark) });
  expect((await readCatalog([{ name: 'many', scan, filesOf: async () => [] }])).diagnostics).toHaveLength(
    MANY,
  );
});
