import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BaseDirectories, defaultRoots, nameRoots } from '../../../src/catalog/roots.ts';
import { plant } from './tree.ts';

const rootsOf = (places: BaseDirectories) => defaultRoots(places).map(({ root }) => root);

describe('defaultRoots', () => {
  it('lists the directories of hosts, existing or not: the project’s, then home’s, then plugins’', () => {
    const place = plant({
      'project/.claude/skills/a': null,
      'project/.cursor/skills': null,
      'home/.claude/plugins/repos/team/tools/skills/x/skills': null,
      'home/.claude/plugins/repos/team/node_modules/skills': null,
      'home/.claude/plugins/repos/a/skills': null,
    });
    const [home, cwd] = [join(place, 'home'), join(place, 'project')];
    expect(defaultRoots({ home, cwd })).toEqual([
      { name: 'claude', root: join(cwd, '.claude/skills'), optional: true },
      { name: 'agents', root: join(cwd, '.agents/skills'), optional: true },
      { name: 'claude-home', root: join(home, '.claude/skills'), optional: true },
      { name: 'agents-home', root: join(home, '.agents/skills'), optional: true },
      { name: 'a', root: join(home, '.claude/plugins/repos/a/skills') },
      { name: 'tools', root: join(home, '.claude/plugins/repos/team/tools/skills') },
    ]);
  });

  it('lists only installed plugins if the host distinguishes them', () => {
    const home = plant({
      '.claude/plugins/cache/market/tea/1.0.0/skills': null,
      '.claude/plugins/marketplaces/market/plugins/pot/skills': null,
    });
    expect(rootsOf({ home, cwd: home }).slice(2)).toEqual([
      join(home, '.claude/plugins/cache/market/tea/1.0.0/skills'),
    ]);
  });

  it('lists a directory once if project and home are equal, or one links to the other', () => {
    const place = plant({ 'home/.claude/skills': null, 'project/.claude': { to: '../home/.claude' } });
    const home = join(place, 'home');
    const [claude, agents] = [join(home, '.claude/skills'), join(home, '.agents/skills')];
    expect(rootsOf({ home, cwd: home })).toEqual([claude, agents]);
    const cwd = join(place, 'project');
    expect(rootsOf({ home, cwd })).toEqual([
      join(cwd, '.claude/skills'),
      join(cwd, '.agents/skills'),
      agents,
    ]);
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
