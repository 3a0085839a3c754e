import { existsSync, linkSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { diskDirectory } from '../../../index/directory/disk.ts';
import {
  cacheContents,
  cleanDaily,
  recordUse,
  removedText,
  removeIndex,
  removeUnused,
} from '../../../src/app/cache.ts';
import { IndexUse } from '../../../src/app/index-use.ts';
import { lock } from '../../../src/base/files/lock.ts';
import { add, plant } from '../sources/scan/tree.ts';

const DAY = 86_400_000;
const NOW = new Date('2026-06-01T12:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY);
const nameOf = (at: number) => at.toString(16).padStart(16, '0');

/** A folder of caches with one index for each of these ages in days. */
function cacheOf(...ages: readonly number[]) {
  const folder = plant(
    Object.fromEntries(
      ages.flatMap((_, at) => [
        [`${nameOf(at)}/CURRENT`, '{}'],
        [`${nameOf(at)}/a.segment`, 'x'.repeat(100)],
      ]),
    ),
  );
  ages.forEach((age, at) => {
    recordUse(join(folder, nameOf(at)), { of: [`/p${at}`], shared: false }, daysAgo(age));
  });
  return folder;
}

/** A folder of caches with a copy of a source for each of these ages in days. */
function copiesOf(ages: Readonly<Record<string, number>>) {
  const names = Object.keys(ages);
  const folder = plant(
    Object.fromEntries(
      names.flatMap((name) => [
        [`sources/${name}/state.json`, '{}'],
        [`sources/${name}/tree/${name}/a/SKILL.md`, 'x'],
      ]),
    ),
  );
  for (const name of names)
    for (const path of ['state.json', 'tree'])
      utimesSync(join(folder, 'sources', name, path), daysAgo(ages[name]!), daysAgo(ages[name]!));
  return folder;
}

const indexesIn = (folder: string) =>
  cacheContents(folder).indexes.map(({ name }) => Number.parseInt(name, 16));

describe('cacheContents', () => {
  it('lists each index with what it is for, the most recently used first, and counts a file of several once', () => {
    const folder = cacheOf(3, 1);
    linkSync(join(folder, nameOf(0), 'a.segment'), join(folder, nameOf(1), 'b.segment'));
    const { indexes, bytes } = cacheContents(folder);
    expect(indexes.map(({ of, usedAt }) => ({ of, usedAt }))).toEqual([
      { of: ['/p1'], usedAt: daysAgo(1) },
      { of: ['/p0'], usedAt: daysAgo(3) },
    ]);
    expect(indexes.map(({ sharedBytes }) => sharedBytes)).toEqual([100, 100]);
    // Two segments of 100 bytes, twice `CURRENT` of 2 bytes, and what the indexes are for.
    const purposes = indexes.map(({ name }) => statSync(join(folder, name, 'used.json')).size);
    expect(bytes).toBe(2 * 100 + 2 * 2 + purposes[0]! + purposes[1]!);
  });

  it('lists models, copies of sources and what was learned by themselves', () => {
    const folder = plant({
      'embeddings/m': 'ab',
      'sources/team-1/x': 'abc',
      [`${nameOf(7)}/learned/log`]: 'a',
      [`${nameOf(8)}/CURRENT`]: '{}',
    });
    const { indexes, others } = cacheContents(folder);
    expect(indexes.map(({ name }) => name)).toEqual([nameOf(8)]);
    expect(others).toEqual([
      { name: `${nameOf(7)}/learned`, bytes: 1 },
      { name: 'embeddings', bytes: 2 },
      { name: 'sources/team-1', bytes: 3 },
    ]);
  });

  it('is empty where there is no folder', () => {
    expect(cacheContents(join(plant({}), 'none'))).toMatchObject({ indexes: [], others: [], bytes: 0 });
  });
});

describe('removeIndex', () => {
  it('removes the index and its folder, but not what was learned', async () => {
    const folder = cacheOf(1, 1);
    const learned = join(folder, nameOf(1), 'learned');
    add(learned, { log: 'x' });
    expect(await removeIndex(join(folder, nameOf(0)))).toBe(true);
    expect(await removeIndex(join(folder, nameOf(1)))).toBe(true);
    expect(readdirSync(folder)).toEqual([nameOf(1)]);
    expect(readdirSync(join(folder, nameOf(1)))).toEqual(['learned']);
    expect(await removeIndex(join(folder, nameOf(1)))).toBe(false);
  });

  it('removes nothing while another process writes the index', async () => {
    const folder = cacheOf(1);
    const unlock = await diskDirectory(join(folder, nameOf(0))).lock(0);
    expect(await removeIndex(join(folder, nameOf(0)))).toBe(false);
    await unlock();
    expect(indexesIn(folder)).toEqual([0]);
  });
});

describe('what nobody used for 60 days', () => {
  it('is removed once a day, the oldest twenty first', async () => {
    const folder = cacheOf(59, ...Array.from({ length: 23 }, (_, at) => 90 - at));
    expect(await cleanDaily(folder, NOW)).toHaveLength(20);
    expect(indexesIn(folder)).toEqual([0, 23, 22, 21]);
    expect(await cleanDaily(folder, new Date(NOW.getTime() + DAY / 2))).toEqual([]);
    expect(await cleanDaily(folder, new Date(NOW.getTime() + DAY / 2 + DAY))).toHaveLength(4);
    expect(indexesIn(folder)).toEqual([]);
  });

  it('is judged by when it was last written, where no use is recorded', async () => {
    const folder = cacheOf();
    const old = plant({
      [`${nameOf(1)}/CURRENT`]: '{}',
      [`${nameOf(2)}/CURRENT`]: '{}',
      'embeddings/m': 'x',
    });
    utimesSync(join(old, nameOf(1), 'CURRENT'), daysAgo(61), daysAgo(61));
    utimesSync(join(old, nameOf(2), 'CURRENT'), daysAgo(59), daysAgo(59));
    expect(await removeUnused(old, daysAgo(60), 9)).toEqual([nameOf(1)]);
    expect(readdirSync(old)).toEqual([nameOf(2), 'embeddings']);
    expect(await removeUnused(folder, daysAgo(60), 9)).toEqual([]);
  });

  it('stays while a process writes it, or where it was used again meanwhile', async () => {
    const folder = cacheOf(90, 90);
    const unlock = await diskDirectory(join(folder, nameOf(0))).lock(0);
    const removing = removeUnused(folder, daysAgo(60), 9);
    recordUse(join(folder, nameOf(1)), { of: ['/p1'], shared: false }, NOW);
    expect(await removing).toEqual([]);
    await unlock();
    expect(indexesIn(folder)).toEqual([1, 0]);
  });
});

describe('a copy of a fetched source that nobody used for 60 days', () => {
  it('stays while a process fetches it, and goes with its whole folder', async () => {
    const folder = copiesOf({ a: 61, b: 61, c: 59 });
    const unlock = await lock(join(folder, 'sources/a/lock'), {});
    expect(await removeUnused(folder, daysAgo(60), 9)).toEqual(['sources/b']);
    await unlock();
    expect(readdirSync(join(folder, 'sources'))).toEqual(['a', 'c']);
    expect(removedText(['sources/a', 'sources/b', nameOf(1)])).toBe('1 index and 2 copies of sources');
  });
});

describe('IndexUse', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('keeps an index that a server has open, however long nobody asks it anything', async () => {
    const folder = cacheOf(90, 90, 90);
    vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setInterval', 'clearInterval'] });
    const used = [0, 1].map((at) => ({
      folder: join(folder, nameOf(at)),
      purpose: { of: [`/p${at}`], shared: at === 1 },
    }));
    const log = vi.fn();
    const use = new IndexUse(used, [], folder, log);
    use.begin();
    use.begin();
    await use.close();
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^Removed 1 index from .* for 60 days\.$/)]]);
    expect(indexesIn(folder).sort()).toEqual([0, 1]);
    const open = new IndexUse(used, [], folder, log);
    open.begin();
    vi.advanceTimersByTime(100 * DAY);
    expect(await cleanDaily(folder, new Date(NOW.getTime() + 100 * DAY))).toEqual([]);
    await open.close();
    vi.advanceTimersByTime(61 * DAY);
    expect(await cleanDaily(folder, new Date(NOW.getTime() + 161 * DAY))).toHaveLength(2);
  });

  it('writes nothing where there is no index yet', async () => {
    const folder = plant({});
    const use = new IndexUse(
      [{ folder: join(folder, nameOf(0)), purpose: { of: [], shared: false } }],
      [join(folder, 'sources/none-1')],
      folder,
      () => {},
    );
    use.begin();
    await use.close();
    expect(existsSync(join(folder, nameOf(0)))).toBe(false);
    expect(existsSync(join(folder, 'sources'))).toBe(false);
  });

  it('keeps the copy of a fetched source that is open, and removes one that no configuration names any more', async () => {
    const folder = copiesOf({ open: 90, dropped: 90, new: 59 });
    vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setInterval', 'clearInterval'] });
    const log = vi.fn();
    const use = new IndexUse([], [join(folder, 'sources/open')], folder, log);
    use.begin();
    await use.close();
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^Removed 1 copy of a source from /)]]);
    expect(readdirSync(join(folder, 'sources'))).toEqual(['new', 'open']);
  });
});
