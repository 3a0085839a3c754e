import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../../../../extensions/scripts/sandbox/collect.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const paths = (files: readonly { path: string }[]) => files.map(({ path }) => path);

describe('collect', () => {
  it('returns regular files in order, also from folders, even unreadable ones', () => {
    mkdirSync(join(folder, 'b'));
    write('b/inner', 'x');
    write('c', 'y');
    chmodSync(join(folder, 'c'), 0);
    chmodSync(join(folder, 'b'), 0);
    const { files, leftOut } = collect(folder, [], { files: 9, bytes: 99 });
    expect(paths(files)).toEqual(['b/inner', 'c']);
    expect(leftOut).toEqual([]);
  });

  it.each(['a\nb', 'a\x1b[31m', 'a\u202eb', 'a\tb'])('leaves out a file called %j', (name) => {
    write(name, 'x');
    expect(collect(folder, [], { files: 9, bytes: 99 })).toEqual({
      files: [],
      leftOut: [{ path: name, reason: 'its name has control or invisible characters' }],
    });
  });

  it('follows no link', () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret'), 'x');
    chmodSync(outside, 0o755);
    symlinkSync(outside, join(folder, 'folder'));
    symlinkSync(join(outside, 'secret'), join(folder, 'secret'));
    const { files, leftOut } = collect(folder, [], { files: 9, bytes: 99 });
    expect(files).toEqual([]);
    expect(leftOut).toEqual([
      { path: 'folder', reason: 'it is a link' },
      { path: 'secret', reason: 'it is a link' },
    ]);
    expect(statSync(outside).mode & 0o777).toBe(0o755);
  });

  it('leaves out and reports what exceeds count or size', () => {
    write('a', '12345');
    write('b', '12345');
    write('c', '1');
    expect(paths(collect(folder, [], { files: 9, bytes: 6 }).files)).toEqual(['a', 'c']);
    expect(collect(folder, [], { files: 1, bytes: 99 }).leftOut.map(({ reason }) => reason)).toEqual([
      'there are more than 1 files',
      'there are more than 1 files',
    ]);
  });

  it('takes exactly as many files and bytes as allowed', () => {
    for (const name of ['a', 'b', 'c']) write(name, '12345');
    expect(collect(folder, [], { files: 3, bytes: 15 })).toMatchObject({ leftOut: [] });
    const { files, leftOut } = collect(folder, [], { files: 3, bytes: 14 });
    expect(paths(files)).toEqual(['a', 'b']);
    expect(leftOut).toEqual([{ path: 'c', reason: expect.stringContaining('more than 14 bytes') }]);
  });

  it('counts given files neither as files nor as bytes', () => {
    write('a', '12345');
    write('b', '12345');
    const given = [{ path: 'a', bytes: Buffer.from('12345') }];
    expect(collect(folder, given, { files: 1, bytes: 5 })).toEqual({
      files: [{ path: 'b', bytes: Buffer.from('12345') }],
      leftOut: [],
    });
  });

  it('leaves out what is neither a file nor a folder', () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(collect(folder, [], { files: 9, bytes: 99 })).toEqual({
      files: [],
      leftOut: [{ path: 'pipe', reason: 'it is not a file' }],
    });
  });

  it('reports fifty of the files that it leaves out', () => {
    for (let at = 0; at < 60; at++) symlinkSync(folder, join(folder, `link${at}`));
    expect(collect(folder, [], { files: 9, bytes: 99 }).leftOut).toHaveLength(50);
  });

  it('orders by whole path, not by folder', () => {
    for (const name of ['a', 'b']) mkdirSync(join(folder, name));
    for (const path of ['b/y', 'a/z', 'a.txt', 'b.txt']) write(path, path);
    const { files } = collect(folder, [], { files: 9, bytes: 99 });
    expect(paths(files)).toEqual(['a.txt', 'a/z', 'b.txt', 'b/y']);
    for (const { path, bytes } of files) expect(Buffer.from(bytes).toString()).toBe(path);
  });

  it('leaves out given files, unless they were changed', () => {
    write('same', 'given');
    write('changed', 'other');
    const given = ['same', 'changed'].map((path) => ({ path, bytes: Buffer.from('given') }));
    expect(paths(collect(folder, given, { files: 9, bytes: 99 }).files)).toEqual(['changed']);
  });

  it('reports names that are not UTF-8, and folders that are too deep', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), 'x');
    const deepest = join(...Array(16).fill('d'));
    mkdirSync(join(folder, deepest, 'd'), { recursive: true });
    write(`${deepest}/f`, 'x');
    const { files, leftOut } = collect(folder, [], { files: 9, bytes: 99 });
    expect(paths(files)).toEqual([`${deepest}/f`]);
    expect(leftOut.map(({ path }) => path)).toContain(`${deepest}/d`);
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      'it is more than 16 folders deep',
      'its name is not UTF-8',
    ]);
  });
});
