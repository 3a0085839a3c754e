import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeWhole } from '../../../index/directory/directory.ts';
import { diskDirectory } from '../../../index/directory/disk.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { directoryContract } from '../../contracts/directory.ts';

const folder = mkdtempSync(join(tmpdir(), 'skillgate-directory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const next = () => join(folder, String(count++));

describe('diskDirectory', () => {
  directoryContract(() => diskDirectory(next()));

  it('creates nothing when it is only read', async () => {
    const place = next();
    expect(diskDirectory(place).list()).toEqual([]);
    expect(diskDirectory(folder).list()).not.toContain(place.split('/').at(-1));
  });

  it('removes the unfinished files of a dead writer when it gets the lock', async () => {
    const place = next();
    const directory = diskDirectory(place);
    writeWhole(directory, 'a', Uint8Array.of(1));
    writeFileSync(join(place, 'b.99999999.writing'), 'half');
    const unlock = await directory.lock(0);
    expect(directory.list()).toEqual(['a']);
    expect(() => directory.open('b.99999999.writing')).toThrow();
    await unlock();
  });

  it('reports the refused write, and that the previous index is unchanged', () => {
    const file = next();
    writeFileSync(file, 'a file, not a folder');
    expect(() => writeWhole(diskDirectory(file), 'a', Uint8Array.of(1))).toThrow(
      expect.objectContaining({ code: 'INDEX_WRITE', message: expect.stringContaining('previous index') }),
    );
  });

  it.skipIf(process.getuid?.() === 0)('says so where the folder is read-only', () => {
    const place = next();
    const directory = diskDirectory(place);
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
