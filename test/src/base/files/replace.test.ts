import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { replaceFile } from '../../../../src/base/files/replace.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'file');
});

/** A file that another program lets go of after that many attempts. */
function heldFor(attempts: number, platform: string, code = 'EPERM') {
  const log = { attempts: 0, waited: 0 };
  const means = {
    platform,
    rename(from: string, to: string) {
      log.attempts += 1;
      if (log.attempts <= attempts) throw Object.assign(new Error('held'), { code });
      renameSync(from, to);
    },
    pause(ms: number) {
      log.waited += ms;
    },
  };
  return { log, means };
}

it('waits on Windows until another program lets go of the file', () => {
  const { log, means } = heldFor(3, 'win32');
  replaceFile(file, 'new', 0o600, means);
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(log).toEqual({ attempts: 4, waited: 75 });
});

it('gives up after half a second, and leaves no draft', () => {
  const { log, means } = heldFor(100, 'win32', 'EBUSY');
  expect(() => replaceFile(file, 'new', 0o600, means)).toThrow('held');
  // 19 pauses of 25 ms between 20 attempts.
  expect(log).toEqual({ attempts: 20, waited: 475 });
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ['linux', 'EPERM'],
  ['win32', 'ENOSPC'],
])('does not wait where that cannot help: %s, %s', (platform, code) => {
  const { log, means } = heldFor(100, platform, code);
  expect(() => replaceFile(file, 'new', 0o600, means)).toThrow('held');
  expect(log.attempts).toBe(1);
});
