import { existsSync, linkSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordUse } from '../../../src/app/cache.ts';
import { cacheContents, removeUnused } from '../../../src/app/clean-cache.ts';
import { lock } from '../../../src/base/files/lock.ts';
import { indexDirectory } from '../../../src/catalog/index-directory.ts';
import { add, plant } from '../sources/scan/tree.ts';

const DAY = 86_400_000;
const NOW = new Date('2026-06-01T12:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY);
const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(16)) as [string, string, string];

/** A folder of caches with an index of 102 bytes, or a copy of a source, for each of these names, and its age in days. */
function cacheOf(ages: Readonly<Record<string, number>>): string {
  const files = (name: string) =>
    name.startsWith('sources/') ? ['state.json', 'tree/a/SKILL.md'] : ['CURRENT', 'x.segment'];
  const names = Object.keys(ages);
  const folder = plant(
    Object.fromEntries(
      names.flatMap((name) =>
        files(name).map((file, at) => [`${name}/${file}`, at === 0 ? '{}' : 'x'.repeat(100)]),
      ),
    ),
  );
  for (const name of names)
    for (const file of readdirSync(join(folder, name)))
      utimesSync(join(folder, name, file), daysAgo(ages[name]!), daysAgo(ages[name]!));
  return folder;
}

describe('cacheContents', () => {
  it('lists indexes and copies with their last use, and models and what was learned; a shared file counts once', () => {
    const folder = cacheOf({ [A]: 3, [B]: 1, 'sources/team': 2 });
    linkSync(join(folder, A, 'x.segment'), join(folder, B, 'shared.segment'));
    add(folder, { 'models/m': 'ab', [`${C}/learned/log`]: 'a' });
    recordUse(join(folder, A), NOW);
    expect(cacheContents(folder)).toEqual({
      folder,
      entries: [
        { name: A, bytes: 102, usedAt: NOW },
        { name: B, bytes: 102, usedAt: expect.any(Date) },
        { name: C, bytes: 1, usedAt: null },
        { name: 'models', bytes: 2, usedAt: null },
        { name: 'sources/team', bytes: 102, usedAt: daysAgo(2) },
      ],
      bytes: 309,
    });
  });

  it('is empty where there is no folder', () => {
    expect(cacheContents(join(plant({}), 'none'))).toMatchObject({ entries: [], bytes: 0 });
  });
});

describe('removeUnused', () => {
  it('removes indexes, copies and compiled code that were not used since, but not what was learned, nor models', async () => {
    const folder = cacheOf({
      [A]: 61,
      [B]: 61,
      [C]: 59,
      'sources/old': 61,
      'sources/new': 59,
      models: 90,
      'compiled/0.1.0': 61,
    });
    add(folder, { [`${A}/learned/log`]: 'x' });
    expect(await removeUnused(folder, daysAgo(60))).toEqual([A, B, 'compiled/0.1.0', 'sources/old']);
    expect(readdirSync(folder).sort()).toEqual([A, C, 'compiled', 'models', 'sources']);
    expect(readdirSync(join(folder, A))).toEqual(['learned']);
    expect(readdirSync(join(folder, 'sources'))).toEqual(['new']);
    expect(await removeUnused(folder, daysAgo(60))).toEqual([]);
  });

  it('keeps what another process writes, and what is used again meanwhile', async () => {
    const folder = cacheOf({ [A]: 90, [B]: 90, 'sources/a': 90 });
    const unlocks = [
      await indexDirectory(join(folder, A)).lock(0),
      await lock(join(folder, 'sources/a/lock'), {}),
    ];
    const removing = removeUnused(folder, daysAgo(60));
    recordUse(join(folder, B), NOW);
    expect(await removing).toEqual([]);
    for (const unlock of unlocks) await unlock();
    expect(existsSync(join(folder, A, 'CURRENT'))).toBe(true);
  });
});

describe('recordUse', () => {
  it('writes nothing where there is no index yet', () => {
    const folder = plant({});
    recordUse(join(folder, A), NOW);
    expect(readdirSync(folder)).toEqual([]);
  });
});
