import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldPath, pathProblem, subfolderOf } from '../../../../src/sources/fetched/paths.ts';
import { examples } from '../../../thorough.ts';

describe('pathProblem', () => {
  it.each(['SKILL.md', 'a/b c/d#?%20.md', 'é/日本.md', '.hidden', 'a..b/...c', 'con-fig.md'])(
    'takes %s',
    (path) => {
      expect(pathProblem(path)).toBeNull();
    },
  );

  it.each(['', '/a', '\\a', 'C:/a', 'c:a', '..', 'a/../b', 'a\\..\\b', 'a//b', 'a/./b', 'a/', 'a\0b'])(
    'calls %j hostile',
    (path) => {
      expect(pathProblem(path)).toMatchObject({ hostile: true });
    },
  );

  it.each([
    'a\\b',
    'ab:c',
    'a\nb',
    'a/nul.txt',
    'COM1',
    'a.',
    'a /b',
    'a\ufffd',
    'x'.repeat(256),
    `${'d/'.repeat(32)}x`,
  ])('calls %j odd', (path) => {
    expect(pathProblem(path)).toMatchObject({ hostile: false });
  });

  it('accepts no path that leaves its folder, on any system', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'C:', '\\', '/', '~', '%2e%2e', 'a\\..'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), fc.constantFrom('/', '\\'), (parts, separator) => {
        const path = parts.join(separator);
        if (pathProblem(path) !== null) return;
        for (const system of [posix, win32]) {
          const root = system === posix ? '/store/tree' : 'C:\\store\\tree';
          expect(system.relative(root, system.resolve(root, path))).not.toMatch(
            /^\.\.(?:[/\\]|$)|^[/\\]|^[a-z]:/i,
          );
        }
      }),
      { numRuns: examples(2_000) },
    );
  });
});

describe('foldPath', () => {
  it('gives equal folds to names that a file system may treat as one', () => {
    expect(foldPath('Caf\u00e9/A')).toBe(foldPath('cafe\u0301/a'));
    expect(foldPath('a')).not.toBe(foldPath('b'));
  });
});

describe('subfolderOf', () => {
  it('accepts a sub-folder with any slashes around it', () => {
    expect([undefined, '', '.', './', '/', 'a/b', './a/b/', '/a/b'].map(subfolderOf)).toEqual([
      ...['', '', '', '', '', 'a/b', 'a/b', 'a/b'],
    ]);
  });

  it('refuses a sub-folder that leads out', () => {
    for (const folder of ['..', 'a/../../b', 'C:/x'])
      expect(() => subfolderOf(folder)).toThrow('give another');
  });
});
