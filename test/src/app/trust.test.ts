/** Which file of a project counts, what of it is used, and what becomes of trust when it changes. */

import { chownSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFile, userConfigFolder } from '../../../src/app/config/find.ts';
import { configuredBy } from '../../../src/app/configured.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { leftOutLine, readTrusted, revoke, trustFile, trustProject } from '../../../src/app/trust.ts';
import { plant, type Tree } from '../sources/scan/tree.ts';

const HOSTILE = `sources:
  - { kind: mcp, command: sh, args: ['--token', hunter2] }
  - { kind: local, root: ./skills }
  - { kind: local, root: ./out }
scripts: { enabled: true }
validate: { rules: { name-folder: info } }
`;
function project(tree: Tree, env: Record<string, string> = {}) {
  const place = plant({ home: null, 'p/skills': null, 'p/deep': null, ...tree });
  const around = { cwd: join(place, 'p'), home: join(place, 'home'), env };
  return { place, around, file: join(place, 'p/skillgate.config.yaml') };
}
const hostile = { 'p/skillgate.config.yaml': HOSTILE, 'p/out': { to: '../home' } };

describe('a project that is not trusted', () => {
  it('gets its harmless settings, and one line says what is left out', async () => {
    const { around } = project(hostile);
    const { sources, config, notices } = await readSettings({}, around);
    expect(sources.map(({ config: { kind } }) => kind)).toEqual(['local']);
    expect(sources[0]).toMatchObject({ within: around.cwd, config: { root: join(around.cwd, 'skills') } });
    expect(config).toMatchObject({
      validate: { rules: { 'name-folder': 'info' } },
      scripts: { enabled: false },
    });
    expect(notices).toEqual([
      'skillgate.config.yaml is not trusted, so these settings of it are ignored: sources[0], sources[2], scripts. To see and trust it: skillgate trust.',
    ]);
    // The answers of the MCP tools cut longer notes.
    expect(notices[0]!.length).toBeLessThanOrEqual(160);
  });

  it('is used as a whole once it is trusted, until a setting that needs it changes', async () => {
    const { around, file } = project(hostile);
    const { project: found } = await configuredBy({}, around);
    trustProject(found!, around);
    expect((await configuredBy({}, around)).config).toMatchObject({ scripts: { enabled: true } });
    writeFileSync(file, HOSTILE.replace('info', 'warning'));
    expect((await configuredBy({}, around)).project?.state).toBe('trusted');
    writeFileSync(file, HOSTILE.replace('sh', 'bash'));
    const { project: changed, config } = await configuredBy({}, around);
    expect(changed).toMatchObject({ state: 'changed', before: found!.settings });
    expect(config.scripts.enabled).toBe(false);
    expect(leftOutLine(changed!)).toMatch('changed since you trusted it');
    writeFileSync(file, HOSTILE);
    expect((await configuredBy({}, around)).project?.state).toBe('trusted');
    expect(revoke(userConfigFolder(around), found!.file)).toBe(true);
    expect((await configuredBy({}, around)).project?.state).toBe('untrusted');
  });

  it('is trusted as the file that it is, not by its name or its contents', async () => {
    const { place, around } = project({ ...hostile, 'q/skillgate.config.yaml': HOSTILE });
    trustProject((await configuredBy({}, around)).project!, around);
    const other = await configuredBy({}, { ...around, cwd: join(place, 'q') });
    expect(other.project?.state).toBe('untrusted');
  });

  it('is trusted for a whole process by SKILLGATE_TRUST_PROJECT, and by --config for the named file', async () => {
    const { around, file } = project(hostile);
    const own = { ...around, env: { SKILLGATE_TRUST_PROJECT: '1' } };
    expect((await readSettings({}, own)).config.scripts.enabled).toBe(true);
    expect((await readSettings({ config: file }, around)).config.scripts.enabled).toBe(true);
    for (const value of ['', '0', 'no'])
      expect(
        (await readSettings({}, { ...around, env: { SKILLGATE_TRUST_PROJECT: value } })).notices,
      ).toHaveLength(1);
  });

  it('gets no scripts that the user allows to sources by their names', async () => {
    const tree = {
      'p/skillgate.config.yaml': 'sources:\n  - { kind: local, name: mine, root: ./skills }\n',
      'home/.config/skillgate/skillgate.config.yaml':
        'scripts: { enabled: true, sources: [mine], skills: ["*"] }\n',
    };
    const { config, notices } = await readSettings({}, project(tree).around);
    expect(config.scripts.enabled).toBe(false);
    expect(notices).toEqual([expect.stringMatching('Scripts are off here')]);
  });

  it('is remembered with all that was shown, in a file that only its owner can read', async () => {
    const { around } = project(hostile);
    trustProject((await configuredBy({}, around)).project!, around);
    const folder = userConfigFolder(around);
    expect(statSync(trustFile(folder)).mode & 0o777).toBe(0o600);
    expect([...readTrusted(folder).values()]).toMatchObject([
      { settings: { sources: [{ command: 'sh' }, {}] } },
    ]);
  });
});

describe("the project's file", () => {
  const found = (cwd: string, home: string, uid?: number | null) => {
    const lines: string[] = [];
    const file = projectFile({ cwd, home }, (line) => lines.push(line), uid)?.file ?? null;
    return { file, lines };
  };

  it('is looked for up to the home folder, and not above', () => {
    const { place } = project({
      'skillgate.config.yaml': '',
      'home/skillgate.config.yaml': '',
      'home/a/b': null,
    });
    const home = join(place, 'home');
    expect(found(join(home, 'a/b'), home).file).toBe(join(home, 'skillgate.config.yaml'));
    expect(found(join(place, 'p/deep'), home).file).toBe(join(place, 'skillgate.config.yaml'));
    const empty = plant({ 'skillgate.config.yaml': '', 'home/a': null });
    expect(found(join(empty, 'home/a'), join(empty, 'home')).file).toBeNull();
  });

  it('counts by its target in the project, and not at all where it is a link out of it', () => {
    const { place, file } = project({ 'p/other/skillgate.config.yaml': HOSTILE, 'out/token': 'ghp_x' });
    const read = () => found(join(place, 'p'), join(place, 'home'));
    symlinkSync('other/skillgate.config.yaml', file);
    expect(read().file).toBe(join(place, 'p/other/skillgate.config.yaml'));
    rmSync(file);
    symlinkSync('../out/token', file);
    expect(read()).toEqual({ file: null, lines: [expect.stringMatching('it is a link out of the project')] });
  });

  it.runIf(process.getuid?.() === 0)('is ignored where it or its folder belongs to another user', () => {
    const { place, file } = project(hostile);
    const [cwd, home] = [join(place, 'p'), join(place, 'home')];
    chownSync(file, 12_345, 12_345);
    expect(found(cwd, home)).toEqual({
      file: null,
      lines: [expect.stringMatching('it belongs to another user')],
    });
    expect(found(cwd, home, 12_345).file).toBe(file);
    chownSync(file, 0, 0);
    chownSync(cwd, 12_345, 12_345);
    expect(found(cwd, home).lines).toEqual([expect.stringMatching('its folder belongs to another user')]);
    expect(found(cwd, home, 12_345).file).toBe(file);
  });
});

describe("the user's file", () => {
  it('is read under that of the project: sources are added, other settings are the project’s', async () => {
    const { around, place } = project({
      'home/.config/skillgate/skillgate.config.yaml':
        'sources: [{ kind: local, root: ./own }]\nvalidate: { rules: { name-folder: error } }\nindex: { folder: ./ix }\n',
      'p/skillgate.config.yaml':
        'sources: [{ kind: local, root: ./skills }]\nvalidate: { rules: { name-folder: info } }\n',
    });
    const own = join(place, 'home/.config/skillgate');
    const { roots, indexFolder, config, notices } = await readSettings({}, around);
    expect(roots.map(({ root }) => root)).toEqual([join(around.cwd, 'skills'), join(own, 'own')]);
    expect({ indexFolder, rules: config.validate.rules, notices }).toEqual({
      indexFolder: join(own, 'ix'),
      rules: { 'name-folder': 'info' },
      notices: [],
    });
  });

  it('is where the system keeps such files', () => {
    const [home, at] = [
      '/h',
      (env: Record<string, string>, platform = 'linux') => userConfigFolder({ home, env }, platform),
    ];
    expect(at({})).toBe('/h/.config/skillgate');
    expect(at({ XDG_CONFIG_HOME: '/x' })).toBe('/x/skillgate');
    expect(at({ XDG_CONFIG_HOME: 'relative' })).toBe('/h/.config/skillgate');
    expect(at({ APPDATA: '/a' }, 'win32')).toBe('/a/skillgate');
  });
});
