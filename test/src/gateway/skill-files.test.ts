/** Bytes of a skill's files: large ones one after another. */

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSkillFile } from '../../../src/gateway/skill-files.ts';
import { plant } from '../sources/scan/tree.ts';

const MIB = 2 ** 20;

it('large files are read in the order of their calls, with other events in between; small ones do not wait', async () => {
  const sizes = { 'a.md': 12 * MIB, 'b.md': MIB, 'c.md': MIB, 'small.md': 10 };
  const folder = plant(
    Object.fromEntries(Object.entries(sizes).map(([path, size]) => [path, Buffer.alloc(size, 'x')])),
  );
  const files = Object.entries(sizes).map(([path, size]) => ({ path, size }));
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const read: { path: string; turn: number }[] = [];
  await Promise.all(
    Object.entries(sizes).map(async ([path, size]) => {
      const bytes = await readSkillFile({ folder }, path, files);
      expect(bytes?.length).toBe(size);
      read.push({ path, turn: turns });
    }),
  );
  over = true;
  const large = read.filter(({ path }) => path !== 'small.md');
  expect(large.map(({ path }) => path)).toEqual(['a.md', 'b.md', 'c.md']);
  for (const [at, { turn }] of large.slice(1).entries()) expect(turn).toBeGreaterThan(large[at]?.turn ?? 0);
  expect(read.findIndex(({ path }) => path === 'small.md')).toBeLessThan(3);
});

it('a file that cannot be read keeps no other one waiting', async () => {
  const folder = plant({ 'b.md': Buffer.alloc(MIB, 'x') });
  const files = [
    { path: 'gone.md', size: 2 * MIB },
    { path: 'b.md', size: MIB },
  ];
  const both = await Promise.all(files.map(({ path }) => readSkillFile({ folder }, path, files)));
  expect(both.map((bytes) => bytes?.length ?? null)).toEqual([null, MIB]);
});

it('a file that is on no disk of this machine is read where it is', async () => {
  const folder = plant({ 'SKILL.md': 'an old state' });
  const remote = (size: number) => ({ path: 'SKILL.md', size, bytes: async () => Buffer.from('as indexed') });
  expect(Buffer.from((await readSkillFile({ folder }, 'SKILL.md', [remote(10)]))!).toString()).toBe(
    'as indexed',
  );
  await expect(readSkillFile({ folder }, 'SKILL.md', [remote(17 * MIB)])).rejects.toMatchObject({
    code: 'FILE_TOO_LARGE',
  });
  expect(await readSkillFile({ folder }, 'other.md', [remote(10)])).toBeNull();
});

it('a link that came later leads to no file that the skill does not have', async () => {
  const folder = plant({ 'SKILL.md': 'own', '.env': 'TOKEN=1' });
  symlinkSync('.env', join(folder, 'notes.md'));
  symlinkSync('SKILL.md', join(folder, 'again.md'));
  const files = ['SKILL.md', 'notes.md', 'again.md'].map((path) => ({ path, size: 3 }));
  expect(await readSkillFile({ folder }, 'notes.md', files)).toBeNull();
  expect(Buffer.from((await readSkillFile({ folder }, 'again.md', files))!).toString()).toBe('own');
});
