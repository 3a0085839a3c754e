import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type BaseDirectories,
  defaultRoots,
  foldersReadBy,
  nameRoots,
  projectFolders,
} from '../../../../src/sources/scan/roots.ts';
import { plant } from './tree.ts';

const rootsOf = (places: BaseDirectories) => defaultRoots(places).map(({ root }) => root);

const skillsIn = (folders: string) => folders.split(' ').map((folder) => `${folder}/skills`);
const HOSTS = skillsIn(
  '.claude .agents .codex .github .cursor .gemini .opencode .goose .windsurf .cline .clinerules .qwen .kilo .kilocode .pi .continue .factory .devin .kiro',
).toSpliced(7, 0, '.opencode/skill');
const HOME = skillsIn(
  '.claude .agents .codex .copilot .cursor .gemini .config/opencode .opencode .config/goose .config/agents .codeium/windsurf .cline .qwen .kilo .kilocode .config/kilo .pi/agent .continue .factory .config/devin .gemini/config .config/amp .kiro .hermes .openclaw',
)
  .toSpliced(8, 0, '.opencode/skill')
  .toSpliced(7, 0, '.config/opencode/skill');

describe('defaultRoots', () => {
  it('lists the directories of hosts, existing or not: the project’s, then home’s, then plugins’', () => {
    const place = plant({
      'project/.claude/skills/a': null,
      'home/.claude/plugins/repos/team/tools/skills/x/skills': null,
      'home/.claude/plugins/repos/team/node_modules/skills': null,
      'home/.claude/plugins/repos/a/skills': null,
    });
    const [home, cwd] = [join(place, 'home'), join(place, 'project')];
    const roots = defaultRoots({ home, cwd });
    expect(roots.filter(({ optional }) => optional).map(({ root }) => root)).toEqual([
      ...HOSTS.map((host) => join(cwd, host)),
      ...HOME.map((host) => join(home, host)),
    ]);
    expect(roots.slice(0, 2)).toEqual([
      { name: 'claude', root: join(cwd, '.claude/skills'), optional: true, within: cwd },
      { name: 'agents', root: join(cwd, '.agents/skills'), optional: true, within: cwd },
    ]);
    expect(roots.filter(({ optional }) => !optional)).toEqual([
      { name: 'a', root: join(home, '.claude/plugins/repos/a/skills'), ofUser: true },
      { name: 'tools', root: join(home, '.claude/plugins/repos/team/tools/skills'), ofUser: true },
    ]);
    expect(new Set(roots.map(({ name }) => name)).size).toBe(roots.length);
    expect(roots.find(({ root }) => root.endsWith('.config/goose/skills'))?.name).toBe('goose-home');
  });

  it('lists a directory once if project and home are equal, and that of home if the project links to it', () => {
    const place = plant({ 'home/.claude/skills': null, 'project/.claude': { to: '../home/.claude' } });
    const home = join(place, 'home');
    expect(rootsOf({ home, cwd: home })).toEqual(
      [...new Set([...HOSTS, ...HOME])].map((host) => join(home, host)),
    );
    const cwd = join(place, 'project');
    const both = rootsOf({ home, cwd });
    expect(both).toContain(join(home, '.claude/skills'));
    expect(both).not.toContain(join(cwd, '.claude/skills'));
  });

  it('looks from a subfolder up to the root of the project, and names what lies below it', () => {
    const place = plant({
      '.claude/skills': null,
      'project/.git': null,
      'project/.claude/skills': null,
      'project/packages/web/.claude/skills': null,
      home: null,
    });
    const cwd = join(place, 'project/packages/web');
    const roots = defaultRoots({ home: join(place, 'home'), cwd }).filter(({ root }) =>
      root.endsWith('.claude/skills'),
    );
    expect(roots.map(({ name, root }) => [name, root.replace(place, '')])).toEqual([
      ['claude-web', '/project/packages/web/.claude/skills'],
      ['claude-packages', '/project/packages/.claude/skills'],
      ['claude', '/project/.claude/skills'],
      ['claude-home', '/home/.claude/skills'],
    ]);
  });
});

describe('the directories that hosts read', () => {
  it('are where the variables of hosts move them, for plugins too', () => {
    const place = plant({ 'cc/plugins/repos/a/skills': null, project: null, home: null });
    const [home, cwd] = [join(place, 'home'), join(place, 'project')];
    const env = {
      CLAUDE_CONFIG_DIR: join(place, 'cc'),
      CODEX_HOME: join(place, 'cx'),
      COPILOT_HOME: '/co',
      XDG_CONFIG_HOME: '/xdg',
    };
    const roots = rootsOf({ home, cwd, env });
    expect(roots).toEqual(
      expect.arrayContaining([
        join(place, 'cc/skills'),
        join(place, 'cc/plugins/repos/a/skills'),
        join(place, 'cx/skills'),
        '/co/skills',
        '/xdg/opencode/skills',
      ]),
    );
    expect(foldersReadBy('claude-code', { home, cwd, env })).not.toContain(join(home, '.claude/skills'));
    expect(foldersReadBy('claude-desktop', { home, cwd, env })).toEqual([]);
    // Copilot CLI reads the skills of Claude Code in projects only, VS Code also those at home.
    expect(foldersReadBy('vscode', { home, cwd })).toContain(join(home, '.claude/skills'));
    expect(foldersReadBy('copilot-cli', { home, cwd })).not.toContain(join(home, '.claude/skills'));
    expect(foldersReadBy('copilot-cli', { home, cwd })).toContain(join(cwd, '.claude/skills'));
  });

  it('are also those in parts of a project, unless git ignores them or they are another project', () => {
    const place = plant({
      home: null,
      'project/.git': null,
      'project/apps/web/.claude/skills': null,
      'project/apps/api/.agents/skills': null,
      'project/old/.claude/skills': null,
      'project/node_modules/x/.claude/skills': null,
      'project/vendored/.git': null,
      'project/vendored/.claude/skills': null,
      'project/a/b/c/d/e/.claude/skills': null,
    });
    writeFileSync(join(place, 'project/.gitignore'), '/old/\n*.log\n');
    const bases = { home: join(place, 'home'), cwd: join(place, 'project') };
    const found = defaultRoots(bases).filter(({ root }) => /project.+\/.+\/\.\w+\/skills$/.test(root));
    expect(found.map(({ name, root }) => [name, root.replace(`${place}/project/`, '')])).toEqual([
      ['agents-api', 'apps/api/.agents/skills'],
      ['claude-web', 'apps/web/.claude/skills'],
    ]);
  });
});

describe('projectFolders', () => {
  const folders = (place: string, cwd: string, home = 'home') =>
    projectFolders({ home: join(place, home), cwd: join(place, cwd) }).map((folder) =>
      folder.replace(place, ''),
    );

  it('ends at the nearest .git, which a worktree has as a file', () => {
    const place = plant({ 'a/.git': null, 'a/b/.git': 'gitdir: elsewhere', 'a/b/c': null });
    expect(folders(place, 'a/b/c')).toEqual(['/a/b/c', '/a/b']);
  });

  it('ends at the highest folder with skills where there is no .git, and never at home or above', () => {
    const place = plant({
      '.agents/skills': null,
      'home/.claude/skills': null,
      'home/p/.codex/skills': null,
      'home/p/a/b': null,
    });
    expect(folders(place, 'home/p/a/b')).toEqual(['/home/p/a/b', '/home/p/a', '/home/p']);
    expect(folders(place, 'home')).toEqual(['/home']);
  });

  it('is the folder alone where nothing marks a project', () => {
    const place = plant({ 'home/p/a': null });
    expect(folders(place, 'home/p/a')).toEqual(['/home/p/a']);
  });
});

describe('parts of a project', () => {
  it('take no .gitignore that is no file of the project, or has more than 64 KiB', () => {
    const place = plant({
      outside: 'part\n',
      'project/.git/HEAD': '',
      'project/part/.claude/skills/a': null,
      'project/.gitignore': { to: '../outside' },
      'project/b/.gitignore': `part\n${'#\n'.repeat(40_000)}`,
      'project/b/part/.claude/skills/a': null,
      'project/c/.gitignore': '# parts\n/part/\n',
      'project/c/part/.claude/skills/a': null,
    });
    const cwd = join(place, 'project');
    const parts = rootsOf({ home: join(place, 'home'), cwd }).filter((root) => root.includes('/part/'));
    expect(parts).toEqual(['part', 'b/part'].map((part) => join(cwd, part, '.claude/skills')));
  });
});

describe('nameRoots', () => {
  const places = { home: '/home/ada', cwd: '/home/ada/project' };

  it.each([
    ['/home/ada/project/.claude/skills', 'claude'],
    ['/home/ada/.claude/skills', 'claude-home'],
    ['/home/ada/project/.agents/skills', 'agents'],
    ['.claude/skills', 'claude'],
    ['/srv/tea/skills', 'tea'],
    ['/srv/Team Skills!', 'team-skills'],
    ['/srv/café', 'cafe'],
    ['/srv/茶', 'skills'],
    ['/home/ada/.claude/plugins/cache/market/tea/1.0.0/skills', 'tea'],
    ['/home/ada/.claude/plugins/cache/market/tea/v2/skills', 'tea'],
    ['/home/ada/.claude/plugins/cache/market/tea/0a1b2c3/skills', 'tea'],
    ['/skills', 'skills'],
    ['/', 'skills'],
  ])('names %s %s', (root, name) => {
    expect(nameRoots([root], places)).toMatchObject([{ name }]);
  });

  it('makes names unique in the order given', () => {
    expect(nameRoots(['/a/tea', '/b/tea', '/c/tea-2', '/d/tea'], places).map(({ name }) => name)).toEqual([
      ...['tea', 'tea-2', 'tea-2-2', 'tea-3'],
    ]);
  });

  it('lists a directory once if it is given twice, even through a link', () => {
    const place = plant({ 'real/tea': null, link: { to: 'real' } });
    const roots = ['real', './real/', join(place, 'real'), 'link'];
    expect(nameRoots(roots, { home: '/home/ada', cwd: place })).toEqual([
      { name: 'real', root: join(place, 'real') },
    ]);
  });
});
