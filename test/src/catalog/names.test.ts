import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultRoots, nameRoots } from '../../../src/catalog/names.ts';
import { plant } from './tree.ts';

describe('defaultRoots', () => {
  it('lists the directories of hosts that exist: the project’s, then home’s, then plugins’', () => {
    const place = plant({
      'project/.claude/skills/a': null,
      'project/.cursor/skills': null,
      'home/.claude/skills': null,
      'home/.agents/skills': null,
      'home/.claude/plugins/repos/team/tools/skills/x/skills': null,
      'home/.claude/plugins/repos/team/node_modules/skills': null,
      'home/.claude/plugins/repos/a/skills': null,
    });
    const [home, cwd] = [join(place, 'home'), join(place, 'project')];
    expect(defaultRoots({ home, cwd })).toEqual([
      join(cwd, '.claude/skills'),
      join(home, '.claude/skills'),
      join(home, '.agents/skills'),
      join(home, '.claude/plugins/repos/a/skills'),
      join(home, '.claude/plugins/repos/team/tools/skills'),
    ]);
  });

  it('takes installed plugins only, where the host tells them apart', () => {
    const home = plant({
      '.claude/plugins/cache/market/tea/1.0.0/skills': null,
      '.claude/plugins/marketplaces/market/plugins/pot/skills': null,
    });
    expect(defaultRoots({ home, cwd: home })).toEqual([
      join(home, '.claude/plugins/cache/market/tea/1.0.0/skills'),
    ]);
  });

  it('lists a directory once where project and home are one, or one is a link to the other', () => {
    const place = plant({ 'home/.claude/skills': null, 'project/.claude': { to: '../home/.claude' } });
    const home = join(place, 'home');
    expect(defaultRoots({ home, cwd: home })).toHaveLength(1);
    expect(defaultRoots({ home, cwd: join(place, 'project') })).toHaveLength(1);
  });

  it('finds nothing where there is nothing', () => {
    expect(defaultRoots({ home: '/nowhere', cwd: '/nowhere/else' })).toEqual([]);
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
  ])('calls %s %s', (root, name) => {
    expect(nameRoots([root], places)).toMatchObject([{ name }]);
  });

  it('makes names unique in the order given', () => {
    expect(nameRoots(['/a/tea', '/b/tea', '/c/tea-2', '/d/tea'], places).map(({ name }) => name)).toEqual([
      ...['tea', 'tea-2', 'tea-2-2', 'tea-3'],
    ]);
  });

  it('lists a directory once that is given twice, even through a link', () => {
    const place = plant({ 'real/tea': null, link: { to: 'real' } });
    const roots = ['real', './real/', join(place, 'real'), 'link'];
    expect(nameRoots(roots, { home: '/home/ada', cwd: place })).toEqual([
      { name: 'real', root: join(place, 'real') },
    ]);
  });
});
