import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inheritedFrom } from '../../../../extensions/scripts/sandbox/descriptors.ts';

const source = join(import.meta.dirname, '../../../../extensions/scripts/sandbox/descriptors.ts');

describe.skipIf(process.platform !== 'linux')('inheritedFrom', () => {
  it('finds no file that this process opened', () => {
    const own = openSync('/dev/null', 'r');
    try {
      expect(inheritedFrom(3)).not.toContain(own);
    } finally {
      closeSync(own);
    }
  });

  it('finds what a process inherited', () => {
    // Node.js itself closes the first contiguous descriptors; this one comes after a gap.
    const given = openSync('/dev/null', 'r');
    const print = `import(${JSON.stringify(source)}).then(({ inheritedFrom }) => console.log(inheritedFrom(3).join(), inheritedFrom(41).join()))`;
    const stdio = [
      'ignore',
      'pipe',
      'ignore',
      ...Array(37).fill('ignore'),
      given,
      ...Array(79).fill('ignore'),
      given,
    ] as const;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', print], {
      stdio: [...stdio],
      cwd: join(source, '../../..'),
    });
    closeSync(given);
    const [all = [], some = []] = String(stdout)
      .trim()
      .split(' ')
      .map((text) => text.split(',').map(Number));
    expect(all).toEqual(expect.arrayContaining([40, 120]));
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    expect(some).toContain(120);
    expect(some.every((number) => number > 40)).toBe(true);
  });
});
