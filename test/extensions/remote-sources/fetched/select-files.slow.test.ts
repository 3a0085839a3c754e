import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findSkillFolders,
  foldPath,
  type OfferedFile,
  pathProblem,
  selectFiles,
  toSubfolder,
} from '../../../../extensions/remote-sources/fetched/select-files.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { plant } from '../../../src/sources/scan/tree.ts';
import { examples } from '../../../thorough.ts';

const offer = (path: string, type: OfferedFile['type'] = 'file'): OfferedFile => ({
  path,
  type,
  executable: false,
  size: 1,
});
const taken = async (...paths: string[]) => {
  const offers = paths.map((path) => offer(path));
  return (await selectFiles(offers, () => {})).map(({ path }) => path);
};
const skippedOf = async (offers: readonly OfferedFile[]) => {
  const skipped: string[] = [];
  await selectFiles(offers, (id, path) => skipped.push(`${id} ${path}`));
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
        expect(await taken(...files)).toEqual(listed.sort());
      }),
      { numRuns: examples(100) },
    );
  });

  it('does not depend on the order of entries', async () => {
    const paths = ['t/SKILL.md', 't/A.md', 't/a.md', 't/b', 'T/x.md', 't/n.md', 't/nul.md', 'other'];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(paths, { minLength: paths.length }), async (shuffled) => {
        expect(await taken(...shuffled)).toEqual(['t/A.md', 't/SKILL.md', 't/b', 't/n.md']);
      }),
    );
  });

  it('reports skipped files of skills, and no others', async () => {
    const skill = offer('t/SKILL.md');
    expect(await skippedOf([skill, offer('t/x', 'link'), offer('t/y', 'other'), offer('x', 'link')])).toEqual(
      ['entry-special t/x', 'entry-special t/y'],
    );
    expect(await skippedOf([skill, offer('t/a:b')])).toEqual(['entry-name t/a:b']);
    expect(await skippedOf([skill, offer('t/A'), offer('t/a')])).toEqual(['entry-collision t/a']);
    expect(await skippedOf([skill, offer('t/A/x'), offer('t/a/y')])).toEqual(['entry-collision t/a/y']);
    expect(await skippedOf([skill, offer('t/A/x'), offer('t/a')])).toEqual(['entry-collision t/a']);
  });

  it('refuses a repeated name, and one that is both file and folder', async () => {
    for (const more of ['t/SKILL.md', 't/SKILL.md/x'])
      await expect(taken('t/SKILL.md', more)).rejects.toThrow('twice');
  });

  it('refuses too many files', async () => {
    const skills = Array.from({ length: 26 }, (_, at) => offer(`t${at}/SKILL.md`));
    const many = Array.from({ length: 260_000 }, (_, at) => offer(`t${at % 26}/${at}`));
    await expect(skippedOf([...many, ...skills])).rejects.toThrow('250000');
  });

  it('takes as many files of a skill as a scan lists, its skill file in any case', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `t/${at}`);
    const kept = await taken(...many, 't/SKILL.md', 'other/SKILL.md');
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([10_001, 'other/SKILL.md', 't/SKILL.md']);
    expect(await skippedOf([...many, 't/SKILL.md'].map((path) => offer(path)))).toEqual(['files-too-many t']);
  });

  it('lets other work go on meanwhile', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await taken(...Array.from({ length: 100_000 }, (_, at) => `t${at}/SKILL.md`));
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('findSkillFolders', () => {
  it('finds skill files in any spelling, also at the root', () => {
    expect([...findSkillFolders(['SKILL.md', 'a/skill.md', 'b/c/Skill.MD', 'd/SKILL.txt'])]).toEqual([
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

describe('toSubfolder', () => {
  it('accepts a sub-folder with any slashes around it', () => {
    expect([undefined, '', '.', './', '/', 'a/b', './a/b/', '/a/b'].map(toSubfolder)).toEqual([
      ...['', '', '', '', '', 'a/b', 'a/b', 'a/b'],
    ]);
  });

  it('refuses a sub-folder that leads out', () => {
    for (const folder of ['..', 'a/../../b', 'C:/x'])
      expect(() => toSubfolder(folder)).toThrow('give another');
  });
});

const prefixes = (path: string) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
