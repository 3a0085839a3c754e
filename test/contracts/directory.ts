/** The contract of every Directory, run for each implementation. */

import { expect, it } from 'vitest';
import { type Directory, readWhole, writeWhole } from '../../index/directory/directory.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

export function directoryContract(fresh: () => Directory): void {
  it('is empty before the first write', () => {
    const directory = fresh();
    expect(directory.list()).toEqual([]);
    expect(() => directory.open('a')).toThrow(expect.objectContaining({ code: 'INDEX_MISSING' }));
  });

  it('returns the written bytes, whole and in parts', () => {
    const directory = fresh();
    const sink = directory.create('a');
    sink.write(bytes(1, 2));
    sink.write(bytes(3));
    sink.commit();
    expect(readWhole(directory, 'a')).toEqual(bytes(1, 2, 3));
    const file = directory.open('a');
    const part = new Uint8Array(2);
    file.readInto(1, part);
    expect(part).toEqual(bytes(2, 3));
    file.close();
  });

  it('writes bytes at any position, before or beyond the end, and appends after the last', () => {
    const directory = fresh();
    const sink = directory.create('a');
    sink.writeAt(3, bytes(4));
    sink.writeAt(0, bytes(1, 2));
    sink.write(bytes(5));
    sink.commit();
    expect(readWhole(directory, 'a')).toEqual(bytes(1, 2, 0, 4, 5));
  });

  it('writes without waiting, in any order', async () => {
    const directory = fresh();
    const sink = directory.create('a');
    await Promise.all([
      sink.writeAsync(3, bytes(4)),
      sink.writeAsync(0, bytes(1, 2)),
      sink.writeAsync(0, bytes()),
    ]);
    sink.write(bytes(5));
    sink.commit();
    expect(readWhole(directory, 'a')).toEqual(bytes(1, 2, 0, 4, 5));
    await expect(sink.writeAsync(0, bytes(9))).rejects.toThrow(
      expect.objectContaining({ code: 'INDEX_WRITE' }),
    );
    expect(readWhole(directory, 'a')).toEqual(bytes(1, 2, 0, 4, 5));
  });

  it('shows a file only after its commit, and never after abandon', () => {
    const directory = fresh();
    const sink = directory.create('a');
    sink.write(bytes(1));
    expect(directory.list()).toEqual([]);
    sink.abandon();
    expect(directory.list()).toEqual([]);
  });

  it('keeps a committed file if abandon follows', () => {
    const directory = fresh();
    const sink = directory.create('a');
    sink.commit();
    sink.abandon();
    expect(directory.list()).toEqual(['a']);
  });

  it('replaces a file atomically: an open reader keeps the old bytes', () => {
    const directory = fresh();
    writeWhole(directory, 'a', bytes(1, 1));
    const old = directory.open('a');
    writeWhole(directory, 'a', bytes(2, 2));
    const seen = new Uint8Array(2);
    old.readInto(0, seen);
    expect(seen).toEqual(bytes(1, 1));
    expect(readWhole(directory, 'a')).toEqual(bytes(2, 2));
    old.close();
  });

  it('keeps an open file readable after its removal', () => {
    const directory = fresh();
    writeWhole(directory, 'a', bytes(7));
    const file = directory.open('a');
    directory.remove('a');
    directory.remove('a');
    expect(directory.list()).toEqual([]);
    const seen = new Uint8Array(1);
    file.readInto(0, seen);
    expect(seen).toEqual(bytes(7));
    file.close();
  });

  it('takes a file of another directory, which neither changes for the other afterwards', () => {
    const [directory, other] = [fresh(), fresh()];
    writeWhole(other, 'a', bytes(1, 2));
    writeWhole(directory, 'a', bytes(9));
    directory.take(other, 'a');
    expect(readWhole(directory, 'a')).toEqual(bytes(1, 2));
    writeWhole(other, 'a', bytes(3));
    expect(readWhole(directory, 'a')).toEqual(bytes(1, 2));
    directory.remove('a');
    expect(readWhole(other, 'a')).toEqual(bytes(3));
    expect(() => directory.take(other, 'b')).toThrow(expect.objectContaining({ code: 'INDEX_MISSING' }));
  });

  it('takes a file of a directory that lies elsewhere', () => {
    const directory = fresh();
    const other = memoryDirectory();
    writeWhole(other, 'a', bytes(1, 2));
    directory.take(other, 'a');
    expect(readWhole(directory, 'a')).toEqual(bytes(1, 2));
  });

  it('reports a read past the end as damage', () => {
    const directory = fresh();
    writeWhole(directory, 'a', bytes(1));
    const file = directory.open('a');
    expect(() => file.readInto(0, new Uint8Array(2))).toThrow(
      expect.objectContaining({ code: 'INDEX_DAMAGED' }),
    );
    file.close();
  });

  it('admits one writer at a time, and the next after it', async () => {
    const directory = fresh();
    const unlock = await directory.lock(0);
    await expect(directory.lock(0)).rejects.toMatchObject({ code: 'INDEX_LOCKED' });
    const patient = directory.lock(5_000);
    await unlock();
    await (await patient)();
  });
}
