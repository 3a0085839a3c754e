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
  pluginRoots(join(home, '.claude'), project).map(({ root, remark }) =>
    `${remark === undefined ? '' : 'remark: '}${root}`.replace(`${home}/.claude/plugins/cache/market/`, ''),
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
    expect(rootsOf(home)).toEqual(['remark: tea/1.0.0', 'tea/1.0.0/more', 'tea/1.0.0/skills']);
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

  describe('layouts', () => {
    const installed = { 'tea@market': [installation('tea', '1.0.0')] };
    const plugin = (files: Record<string, string | null>, market?: object) => {
      const home = homeWith([], installed);
      for (const [path, text] of Object.entries(files))
        add(home, { [`${at('tea', '1.0.0')}/${path}`]: text });
      if (market !== undefined)
        add(home, {
          '.claude/plugins/marketplaces/market/.claude-plugin/marketplace.json': JSON.stringify({
            plugins: [{ name: 'tea', source: './', strict: false, ...market }],
          }),
        });
      return rootsOf(home);
    };
    const manifest = (skills: unknown) => JSON.stringify({ name: 'tea', skills });
    const SKILL = '---\nname: knit\ndescription: Knits.\n---\nKnit.\n';

    it.each<[string, Record<string, string | null>, object | undefined, string[]]>([
      [
        'the plugin is the skill',
        { 'SKILL.md': SKILL, '.claude-plugin/plugin.json': manifest(['./']) },
        undefined,
        ['tea/1.0.0'],
      ],
      [
        'the plugin is the skill, and others are below it',
        { 'SKILL.md': SKILL, 'skills/a/SKILL.md': SKILL, '.claude-plugin/plugin.json': manifest('.') },
        undefined,
        ['tea/1.0.0'],
      ],
      [
        'the marketplace names the skills',
        { 'pack/knit/SKILL.md': SKILL },
        { skills: ['./pack/knit'] },
        ['tea/1.0.0/pack/knit'],
      ],
      [
        'Agent Plugins 1.0',
        { 'more/knit/SKILL.md': SKILL, 'plugin.json': manifest('more/') },
        undefined,
        ['tea/1.0.0/more'],
      ],
      [
        'a named folder is missing',
        { 'skills/a/SKILL.md': SKILL, '.claude-plugin/plugin.json': manifest(['./skilz']) },
        undefined,
        ['remark: tea/1.0.0', 'tea/1.0.0/skills'],
      ],
      [
        'a named folder is outside',
        { 'skills/a/SKILL.md': SKILL, '.claude-plugin/plugin.json': manifest(['../..']) },
        undefined,
        ['remark: tea/1.0.0', 'tea/1.0.0/skills'],
      ],
      ['nothing names the skills', { 'pack/knit/SKILL.md': SKILL }, undefined, ['remark: tea/1.0.0']],
      [
        'the manifest is of another form',
        { '.claude-plugin/plugin.json': manifest({ a: 1 }) },
        undefined,
        ['remark: tea/1.0.0'],
      ],
      ['only commands', { 'commands/tea.md': 'Brew.' }, undefined, []],
    ])('%s', (_, files, market, expected) => {
      expect(plugin(files, market).sort()).toEqual(expected.sort());
    });
  });
});
