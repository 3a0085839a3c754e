import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../../../src/sandbox/collect.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-collect-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it('follows no link', () => {
    const outside = mkdtempSync(join(tmpdir(), 'skillgate-outside-'));
    try {
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
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
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

  it('leaves out given files, unless they were changed', () => {
    write('same', 'given');
    write('changed', 'other');
    const given = ['same', 'changed'].map((path) => ({ path, bytes: Buffer.from('given') }));
    expect(paths(collect(folder, given, { files: 9, bytes: 99 }).files)).toEqual(['changed']);
  });

  it('reports names that are not UTF-8, and folders that are too deep', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), 'x');
    mkdirSync(join(folder, ...Array(17).fill('d')), { recursive: true });
    const reasons = collect(folder, [], { files: 9, bytes: 99 }).leftOut.map(({ reason }) => reason);
    expect(reasons).toEqual(['it is more than 16 folders deep', 'its name is not UTF-8']);
  });
});
