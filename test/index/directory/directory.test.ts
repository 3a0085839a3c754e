import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../../index/directory/directory.ts';
import { diskDirectory } from '../../../index/directory/disk.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { lock } from '../../../src/base/files/lock.ts';
import { directoryContract } from '../../contracts/directory.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const disk = (folder: string, options: { readonly mode?: number } = {}) =>
  diskDirectory(folder, { ...options, lock });
const folder = temporaryFolder();
let count = 0;
const next = () => join(folder, String(count++));

describe('diskDirectory', () => {
  directoryContract(() => disk(next()));

  it('creates nothing when it is only read', async () => {
    const place = next();
    expect(disk(place).list()).toEqual([]);
    expect(disk(folder).list()).not.toContain(place.split('/').at(-1));
  });

  it('removes the unfinished files of a dead writer when it gets the lock', async () => {
    const place = next();
    const directory = disk(place);
    writeWhole(directory, 'a', Uint8Array.of(1));
    writeFileSync(join(place, 'b.99999999.writing'), 'half');
    const unlock = await directory.lock(0);
    expect(directory.list()).toEqual(['a']);
    expect(() => directory.open('b.99999999.writing')).toThrow();
    await unlock();
  });

  it('keeps its own unfinished files when it gets the lock, and shows neither them nor the lock', async () => {
    const place = next();
    const directory = disk(place);
    const sink = directory.create('b');
    const unlock = await directory.lock(0);
    expect(readdirSync(place)).toHaveLength(2);
    expect(directory.list()).toEqual([]);
    sink.write(Uint8Array.of(1));
    sink.commit();
    await unlock();
    expect(readdirSync(place)).toEqual(['b']);
  });

  it('leaves nothing of what was abandoned, and abandons once', () => {
    const place = next();
    const directory = disk(place);
    const sink = directory.create('a');
    sink.abandon();
    expect(readdirSync(place)).toEqual([]);
    const other = directory.create('b');
    expect(() => sink.abandon()).not.toThrow();
    other.write(Uint8Array.of(1));
    other.commit();
    expect(directory.list()).toEqual(['b']);
  });

  it('writes files of the given mode', () => {
    const place = next();
    writeWhole(disk(place, { mode: 0o600 }), 'a', Uint8Array.of(1));
    expect(statSync(join(place, 'a')).mode & 0o777).toBe(0o600);
    writeWhole(disk(place), 'b', Uint8Array.of(1));
    expect(statSync(join(place, 'b')).mode & 0o600).toBe(0o600);
  });

  it('creates the folders above it', () => {
    const place = join(next(), 'deep', 'folder');
    writeWhole(disk(place), 'a', Uint8Array.of(1));
    expect(disk(place).list()).toEqual(['a']);
  });

  it('creates its folder for a lock', async () => {
    const place = join(next(), 'deep');
    await (await disk(place).lock(0))();
    expect(readdirSync(place)).toEqual([]);
  });

  it('closes a file once', () => {
    const place = next();
    const directory = disk(place);
    writeWhole(directory, 'a', Uint8Array.of(1));
    const file = directory.open('a');
    file.close();
    // The descriptor may be another file's by now.
    const other = directory.open('a');
    file.close();
    const seen = new Uint8Array(1);
    other.readInto(0, seen);
    expect([...seen]).toEqual([1]);
    other.close();
  });

  it('says what cannot be read, and why', () => {
    const place = next();
    mkdirSync(join(place, 'folder'), { recursive: true });
    writeFileSync(join(place, 'short'), 'ab');
    const directory = disk(place);
    const fails = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return error;
      }
      throw new Error('It did not fail.');
    };
    const cause = expect.any(Error);
    expect(fails(() => directory.open('none'))).toMatchObject({
      code: 'INDEX_MISSING',
      message: expect.stringMatching(/file .*none cannot be opened: .*ENOENT/),
      cause,
    });
    expect(fails(() => directory.open('folder'))).toMatchObject({
      code: 'INDEX_DAMAGED',
      message: expect.stringMatching(/folder is not a regular file\. Remove it/),
    });
    const file = directory.open('short');
    expect(fails(() => file.readInto(1, new Uint8Array(2)))).toMatchObject({
      code: 'INDEX_DAMAGED',
      message: expect.stringMatching(/short ends at byte 2\./),
    });
    file.close();
    expect(fails(() => disk(join(place, 'short')).list())).toMatchObject({
      code: 'INDEX_MISSING',
      message: expect.stringMatching(/folder .*short cannot be read: .*ENOTDIR/),
      cause,
    });
  });

  it('says what cannot be written, and why', async () => {
    const file = next();
    writeFileSync(file, 'a file, not a folder');
    const refused = expect.objectContaining({
      code: 'INDEX_WRITE',
      message: expect.stringMatching(/cannot be written: It is a file: give a folder\. The previous index/),
      cause: expect.any(Error),
    });
    expect(() => disk(file).create('a')).toThrow(refused);
    expect(() => disk(join(file, 'below')).create('a')).toThrow(refused);
    await expect(disk(file).lock(0)).rejects.toEqual(refused);
    const place = next();
    const sink = disk(place).create('a');
    sink.commit();
    await expect(sink.writeAsync(0, Uint8Array.of(1))).rejects.toThrow(/a is no longer being written/);
  });

  it('says who waits for whom where the index is being written', async () => {
    const place = next();
    const directory = disk(place);
    const unlock = await directory.lock(0);
    await expect(disk(place).lock(0)).rejects.toMatchObject({
      code: 'INDEX_LOCKED',
      message: expect.stringMatching(/Another process is writing the index in .*--index folder/),
      cause: expect.any(Error),
    });
    await unlock();
  });

  it('is not written where it was opened for reading', async () => {
    await expect(diskDirectory(next()).lock(0)).rejects.toMatchObject({
      code: 'INDEX_WRITE',
      message: expect.stringContaining('opened without a lock'),
    });
  });

  it.skipIf(process.getuid?.() === 0)('says so where the folder is read-only', () => {
    const place = next();
    const directory = disk(place);
    writeWhole(directory, 'a', Uint8Array.of(1));
    chmodSync(place, 0o500);
    expect(() => writeWhole(directory, 'b', Uint8Array.of(1))).toThrow(
      expect.objectContaining({ code: 'INDEX_WRITE' }),
    );
    chmodSync(place, 0o700);
  });
});

describe('memoryDirectory', () => {
  directoryContract(memoryDirectory);
});
