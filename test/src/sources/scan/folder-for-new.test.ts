import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForNew } from '../../../../src/sources/scan/folder-for-new.ts';
import { hostRoots } from '../../../../src/sources/scan/roots.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(temporaryFolder());
  write('project/.git/HEAD');
  mkdirSync(join(top, 'home'));
});

function write(path: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), '');
}

function placeIn(cwd: string, more: readonly string[] = []) {
  const bases = { home: join(top, 'home'), cwd: join(top, cwd) };
  const { folder, why } = folderForNew([...more.map((path) => join(top, path)), ...hostRoots(bases)], bases);
  return { folder: folder.slice(top.length + 1), why };
}

describe('a new skill is written', () => {
  it('next to most skills of the project, whichever host reads them', () => {
    write('project/.claude/skills/one/SKILL.md');
    for (const name of ['two', 'three']) write(`project/.agents/skills/${name}/SKILL.md`);
    for (const name of ['a', 'b', 'c']) write(`home/.claude/skills/${name}/SKILL.md`);
    expect(placeIn('project')).toEqual({
      folder: 'project/.agents/skills',
      why: 'next to 2 skills of this project',
    });
    expect(placeIn('project').folder).toBe('project/.agents/skills');
  });

  it('into a source of the configuration that has skills, grouped ones too', () => {
    write('project/skills/finance/invoices/SKILL.md');
    expect(placeIn('project', ['project/skills'])).toEqual({
      folder: 'project/skills',
      why: 'next to 1 skill of this project',
    });
  });

  it('into the nearest folder with skills above the working directory', () => {
    for (const name of ['two', 'three']) write(`project/.agents/skills/${name}/SKILL.md`);
    write('project/api/.cursor/skills/one/SKILL.md');
    mkdirSync(join(top, 'project/api/src'));
    expect(placeIn('project/api/src').folder).toBe('project/api/.cursor/skills');
    mkdirSync(join(top, 'project/web'));
    expect(placeIn('project/web').folder).toBe('project/.agents/skills');
  });

  it('without skills, where a host of the project looks; GitHub’s folder is no host', () => {
    write('project/.github/workflows/test.yml');
    write('project/.cursor/rules');
    expect(placeIn('project')).toEqual({
      folder: 'project/.cursor/skills',
      why: 'this project has a folder .cursor',
    });
    mkdirSync(join(top, 'project/.agents/skills'), { recursive: true });
    expect(placeIn('project').folder).toBe('project/.agents/skills');
  });

  it('else where the host of most skills at home looks, else where most hosts look, in the root of the project', () => {
    mkdirSync(join(top, 'project/src'));
    expect(placeIn('project/src')).toEqual({
      folder: 'project/.claude/skills',
      why: 'there are no other skills yet, and most hosts read it',
    });
    write('home/.config/opencode/skills/a/SKILL.md');
    expect(placeIn('project/src').folder).toBe('project/.opencode/skills');
  });

  it('never where a link leads out of the project', () => {
    write('elsewhere/one/SKILL.md');
    mkdirSync(join(top, 'project/.agents'));
    symlinkSync(join(top, 'elsewhere'), join(top, 'project/.agents/skills'));
    write('project/.codex/skills/two/SKILL.md');
    expect(placeIn('project').folder).toBe('project/.codex/skills');
  });
});
