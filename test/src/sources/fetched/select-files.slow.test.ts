import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type OfferedFile,
  selectFiles,
  skillFoldersOf,
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
  selectFiles(paths.map((path) => offer(path))).taken.map(({ path }) => path);
const skippedOf = (offers: readonly OfferedFile[]) =>
  selectFiles(offers).skipped.map(({ id, path }) => `${id} ${path}`);

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
    expect(() => selectFiles([...many, offer('t/SKILL.md')])).toThrow('250000');
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

const prefixes = (path: string) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
