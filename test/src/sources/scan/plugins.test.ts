import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pluginRoots } from '../../../../src/sources/scan/plugins.ts';
import { add, plant } from './tree.ts';

const at = (plugin: string, version: string) => `.claude/plugins/cache/market/${plugin}/${version}`;

/** A home with plugins in the cache, each as `plugin/version`; its `installed_plugins.json` as a list of version 2. */
function homeWith(
  cached: readonly string[],
  installed?: Readonly<Record<string, readonly object[] | object>>,
): string {
  const home = plant(
    Object.fromEntries(cached.map((each) => [`.claude/plugins/cache/market/${each}/skills/a`, null])),
  );
  if (installed !== undefined)
    add(home, {
      '.claude/plugins/installed_plugins.json': JSON.stringify({ version: 2, plugins: installed }).replaceAll(
        '~',
        home,
      ),
    });
  return home;
}

const rootsOf = (home: string, project: readonly string[] = []) =>
  pluginRoots(join(home, '.claude'), project).map((root) =>
    root.replace(`${home}/.claude/plugins/cache/market/`, ''),
  );
const installation = (plugin: string, version: string, more: object = {}) => ({
  scope: 'user',
  installPath: `~/${at(plugin, version)}`,
  ...more,
});
const enable = (folder: string, plugins: Record<string, boolean>, file = 'settings.json') =>
  add(folder, { [`.claude/${file}`]: JSON.stringify({ enabledPlugins: plugins }) });

describe('pluginRoots', () => {
  it('takes the installed version, not the others of the cache', () => {
    const home = homeWith(['tea/1.0.0', 'tea/1.2.0', 'pot/2.0.0'], {
      'tea@market': [installation('tea', '1.0.0')],
    });
    expect(rootsOf(home)).toEqual(['tea/1.0.0/skills']);
  });

  it('reads version 1 of the list, with one installation a plugin', () => {
    const home = homeWith(['tea/1.0.0'], { 'tea@market': installation('tea', '1.0.0') });
    expect(rootsOf(home)).toEqual(['tea/1.0.0/skills']);
  });

  it('takes enabled plugins only; the project’s settings win over the user’s, and local ones over both', () => {
    const home = homeWith(['tea/1.0.0', 'pot/1.0.0', 'cup/1.0.0'], {
      'tea@market': [installation('tea', '1.0.0')],
      'pot@market': [installation('pot', '1.0.0')],
      'cup@market': [installation('cup', '1.0.0')],
    });
    enable(home, { 'tea@market': true, 'pot@market': false });
    expect(rootsOf(home)).toEqual(['tea/1.0.0/skills']);
    const project = plant({});
    enable(project, { 'pot@market': true, 'tea@market': false });
    expect(rootsOf(home, [project])).toEqual(['pot/1.0.0/skills']);
    enable(project, { 'tea@market': true }, 'settings.local.json');
    expect(rootsOf(home, [project])).toEqual(['pot/1.0.0/skills', 'tea/1.0.0/skills']);
  });

  it('takes the installation of this project before the user’s, and never one of another project', () => {
    const project = plant({});
    const home = homeWith(['tea/1.0.0', 'tea/2.0.0', 'tea/3.0.0'], {
      'tea@market': [
        installation('tea', '1.0.0', { scope: 'project', projectPath: '/elsewhere' }),
        installation('tea', '2.0.0'),
        installation('tea', '3.0.0', { scope: 'project', projectPath: project }),
      ],
    });
    expect(rootsOf(home)).toEqual(['tea/2.0.0/skills']);
    expect(rootsOf(home, [project])).toEqual(['tea/3.0.0/skills']);
  });

  it('adds the folders of the plugin’s manifest, but none outside of the plugin', () => {
    const home = homeWith(['tea/1.0.0'], { 'tea@market': [installation('tea', '1.0.0')] });
    add(home, {
      [`${at('tea', '1.0.0')}/.claude-plugin/plugin.json`]: JSON.stringify({
        name: 'tea',
        skills: ['./more', '../../../../../../secret', './nowhere'],
      }),
      [`${at('tea', '1.0.0')}/more`]: null,
      secret: null,
    });
    expect(rootsOf(home)).toEqual(['tea/1.0.0/more', 'tea/1.0.0/skills']);
  });

  it('takes the newest version of each plugin where nothing says what is installed', () => {
    const home = homeWith(['tea/1.9.0', 'tea/1.10.0', 'pot/0a1b2c3', 'pot/9f8e7d6']);
    const old = new Date(2026, 0, 1);
    utimesSync(join(home, at('pot', '9f8e7d6')), old, old);
    expect(rootsOf(home)).toEqual(['pot/0a1b2c3/skills', 'tea/1.10.0/skills']);
    add(home, { '.claude/plugins/installed_plugins.json': 'no JSON' });
    expect(rootsOf(home)).toEqual(['pot/0a1b2c3/skills', 'tea/1.10.0/skills']);
  });

  it('finds nothing where there is nothing', () => {
    const home = plant({});
    expect(pluginRoots(join(home, '.claude'), [])).toEqual([]);
    mkdirSync(join(home, '.claude/plugins'), { recursive: true });
    expect(pluginRoots(join(home, '.claude'), [])).toEqual([]);
  });
});
