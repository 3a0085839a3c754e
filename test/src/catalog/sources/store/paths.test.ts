import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOfPath, folderOf, foldPath } from '../../../../../src/catalog/sources/store/paths.ts';

describe('faultOfPath', () => {
  it.each(['SKILL.md', 'a/b c/d#?%20.md', 'é/日本.md', '.hidden', 'a..b/...c', 'con-fig.md'])(
    'takes %s',
    (path) => {
      expect(faultOfPath(path)).toBeNull();
    },
  );

  it.each(['', '/a', '\\a', 'C:/a', 'c:a', '..', 'a/../b', 'a\\..\\b', 'a//b', 'a/./b', 'a/', 'a\0b'])(
    'calls %j hostile',
    (path) => {
      expect(faultOfPath(path)).toMatchObject({ hostile: true });
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
    expect(faultOfPath(path)).toMatchObject({ hostile: false });
  });

  it('takes nothing that leaves a folder, on any system', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'C:', '\\', '/', '~', '%2e%2e', 'a\\..'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), fc.constantFrom('/', '\\'), (parts, separator) => {
        const path = parts.join(separator);
        if (faultOfPath(path) !== null) return;
        for (const system of [posix, win32]) {
          const root = system === posix ? '/store/tree' : 'C:\\store\\tree';
          expect(system.relative(root, system.resolve(root, path))).not.toMatch(
            /^\.\.(?:[/\\]|$)|^[/\\]|^[a-z]:/i,
          );
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('foldPath', () => {
  it('makes one of names that a file system may take for one', () => {
    expect(foldPath('Caf\u00e9/A')).toBe(foldPath('cafe\u0301/a'));
    expect(foldPath('a')).not.toBe(foldPath('b'));
  });
});

describe('folderOf', () => {
  it('takes a sub-folder however its slashes stand', () => {
    expect([undefined, '', '.', './', '/', 'a/b', './a/b/', '/a/b'].map(folderOf)).toEqual([
      ...['', '', '', '', '', 'a/b', 'a/b', 'a/b'],
    ]);
  });

  it('refuses one that leads out', () => {
    for (const folder of ['..', 'a/../../b', 'C:/x']) expect(() => folderOf(folder)).toThrow('give another');
  });
});
