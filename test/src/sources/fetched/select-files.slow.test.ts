import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldPath,
  type OfferedFile,
  pathProblem,
  selectFiles,
  skillFoldersOf,
  subfolderOf,
} from '../../../../src/sources/fetched/select-files.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { examples } from '../../../thorough.ts';
import { plant } from '../scan/tree.ts';

const offer = (path: string, type: OfferedFile['type'] = 'file'): OfferedFile => ({
  path,
  type,
  executable: false,
  size: 1,
});
const taken = (...paths: string[]) =>
  selectFiles(
    paths.map((path) => offer(path)),
    () => {},
  ).map(({ path }) => path);
const skippedOf = (offers: readonly OfferedFile[]) => {
  const skipped: string[] = [];
  selectFiles(offers, (id, path) => skipped.push(`${id} ${path}`));
  return skipped;
};

describe('selectFiles', () => {
  it('selects exactly the files that a scan would list', async () => {
    const names = fc.constantFrom('a', 'b', '.h', 'node_modules', 'SKILL.md', 'skill.md', 'x.md', '.env');
    const paths = fc.uniqueArray(
      fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (given) => {
        const files = given.filter((path) => !given.some((other) => other.startsWith(`${path}/`)));
        const cased = new Set(files.flatMap((path) => prefixes(path).map((at) => at.toLowerCase())));
        fc.pre(cased.size === new Set(files.flatMap(prefixes)).size);
        const root = plant(Object.fromEntries(files.map((path) => [path, 'x'])));
        const { folders } = await localSource({ name: 'house', root }).scan();
        const listed = folders.flatMap(({ folder, files: own }) =>
          own.map(({ path }) => `${folder}/${path}`.slice(root.length + 1)),
        );
        expect(taken(...files)).toEqual(listed.sort());
      }),
      { numRuns: examples(100) },
    );
  });

  it('does not depend on the order of entries', () => {
    const paths = ['t/SKILL.md', 't/A.md', 't/a.md', 't/b', 'T/x.md', 't/n.md', 't/nul.md', 'other'];
    fc.assert(
      fc.property(fc.shuffledSubarray(paths, { minLength: paths.length }), (shuffled) => {
        expect(taken(...shuffled)).toEqual(['t/A.md', 't/SKILL.md', 't/b', 't/n.md']);
      }),
    );
  });

  it('reports skipped files of skills, and no others', () => {
    const skill = offer('t/SKILL.md');
    expect(skippedOf([skill, offer('t/x', 'link'), offer('t/y', 'other'), offer('x', 'link')])).toEqual([
      'entry-special t/x',
      'entry-special t/y',
    ]);
    expect(skippedOf([skill, offer('t/a:b')])).toEqual(['entry-name t/a:b']);
    expect(skippedOf([skill, offer('t/A'), offer('t/a')])).toEqual(['entry-collision t/a']);
    expect(skippedOf([skill, offer('t/A/x'), offer('t/a/y')])).toEqual(['entry-collision t/a/y']);
    expect(skippedOf([skill, offer('t/A/x'), offer('t/a')])).toEqual(['entry-collision t/a']);
  });

  it('refuses a repeated name, and one that is both file and folder', () => {
    for (const more of ['t/SKILL.md', 't/SKILL.md/x']) {
      expect(() => taken('t/SKILL.md', more)).toThrow('twice');
    }
  });

  it('refuses too many files', () => {
    const many = Array.from({ length: 250_001 }, (_, at) => offer(`t/${at}`));
    expect(() => skippedOf([...many, offer('t/SKILL.md')])).toThrow('250000');
  });
});

describe('skillFoldersOf', () => {
  it('finds skill files in any spelling, also at the root', () => {
    expect([...skillFoldersOf(['SKILL.md', 'a/skill.md', 'b/c/Skill.MD', 'd/SKILL.txt'])]).toEqual([
      '',
      'a',
      'b/c',
    ]);
  });
});

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

const prefixes = (path: string) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
