/** The training scripts do not run in these tests. They must parse, and the guide must name each of them. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../models/train');
const scripts = globSync(['**/*.py', '**/*.sh'], { cwd: folder }).sort();
const has = (program: string) => spawnSync(program, ['-c', '']).status === 0;

describe('models/train', () => {
  it('names every script in its README', () => {
    const guide = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(scripts.filter((path) => !guide.includes(`\`${path}\``))).toEqual([]);
  });

  it.skipIf(!has('python3'))('has scripts that Python can parse', () => {
    const parse = 'import ast, sys\nfor f in sys.argv[1:]: ast.parse(open(f, encoding="utf-8").read(), f)';
    const files = scripts.filter((path) => path.endsWith('.py')).map((path) => join(folder, path));
    expect(spawnSync('python3', ['-c', parse, ...files], { encoding: 'utf8' }).stderr).toBe('');
  });

  it.skipIf(!has('sh'))('has scripts that the shell can parse', () => {
    for (const path of scripts.filter((name) => name.endsWith('.sh')))
      expect(spawnSync('sh', ['-n', join(folder, path)], { encoding: 'utf8' }).stderr).toBe('');
  });
});
