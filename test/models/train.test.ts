/** Training runs on another machine. These tests check that its scripts parse, import only each other, and are documented. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../models/train');
const scripts = globSync(['*.py'], { cwd: folder }).sort();
const text = (path: string) => readFileSync(join(folder, path), 'utf8');
const hasPython = spawnSync('python3', ['-c', '']).status === 0;

/** What training installs; everything else is a script of the folder or part of Python. */
const PACKAGES = ['numpy', 'scipy', 'torch', 'nltk', 'onnx', 'yaml'];

describe('models/train', () => {
  it('names every script and no other in its README', () => {
    const named = new Set(text('README.md').match(/(?<=`)\w+\.py(?=`)/g));
    expect([...named].sort()).toEqual(scripts);
  });

  it.skipIf(!hasPython)('holds scripts that Python parses and whose imports exist', () => {
    const program = `
import ast, os, sys
packages = set(sys.argv[1].split(','))
files = sys.argv[2:]
own = {os.path.splitext(os.path.basename(f))[0] for f in files}
for f in files:
    for node in ast.walk(ast.parse(open(f, encoding='utf-8').read(), f)):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.split('.')[0]
            if top not in packages | own and top not in sys.stdlib_module_names: print(f, top)
`;
    const files = scripts.map((path) => join(folder, path));
    const { stdout, stderr } = spawnSync('python3', ['-c', program, PACKAGES.join(), ...files], {
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });
});
