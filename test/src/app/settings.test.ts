import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommonOptions, readSettings, settingsOfProjects } from '../../../src/app/settings.ts';
import { isThere } from '../../../src/app/source-settings.ts';
import { defaultRoots } from '../../../src/sources/scan/roots.ts';
import { add, plant, skillText, type Tree } from '../sources/scan/tree.ts';

/** The settings in a project of these files, with a separate home. */
async function settings(
  options: CommonOptions,
  env: Record<string, string> = {},
  tree: Tree = {},
  below = '',
) {
  const place = plant({ home: null, 'project/deep': null, ...tree });
  const [cwd, home] = [join(place, 'project', below), join(place, 'home')];
  const found = await readSettings(options, { cwd, home, env: { SKILLGATE_TRUST_PROJECT: '1', ...env } });
  const own = (path: string) => path.replace(place, '');
  return { ...found, roots: found.roots.map(({ root }) => own(root)), index: own(found.indexFolder), own };
}
/** The default folders; roots.test.ts says which those are. */
const HOSTS = defaultRoots({ home: '/home', cwd: '/project' }).map(({ root }) => root);
const config = ({ skills, ...index }: { skills?: string[]; [setting: string]: unknown }): Tree => ({
  'project/skillgate.config.json': JSON.stringify({
    ...(skills === undefined ? {} : { sources: skills.map((root) => ({ kind: 'local', root })) }),
    index,
  }),
});

describe('settingsOf', () => {
  const all = config({ skills: ['c'], folder: 'ci', embedder: 'hub/c' });
  const env = {
    SKILLGATE_SKILLS: 'e',
    SKILLGATE_INDEX: 'ei',
    SKILLGATE_EMBEDDER: 'hub/e',
    SKILLGATE_VECTORS: 'exact',
  };
  const flags = { skills: ['f'], index: 'fi', embedder: 'hub/f', vectors: 'auto' };
  const picked = ({ roots, index, embedder, vectors }: Awaited<ReturnType<typeof settings>>) => ({
    roots,
    index,
    embedder,
    vectors,
  });

  it('takes flags before the environment, that before the file, and that before the defaults', async () => {
    const of = (name: string, vectors: string) => ({
      roots: [`/project/${name}`],
      index: `/project/${name}i`,
      embedder: `hub/${name}`,
      vectors,
    });
    expect(picked(await settings(flags, env, all))).toEqual(of('f', 'auto'));
    expect(picked(await settings({}, env, all))).toEqual(of('e', 'exact'));
    expect(picked(await settings({}, {}, all))).toEqual(of('c', 'auto'));
    expect(await settings({})).toMatchObject({ roots: HOSTS, embedder: undefined, vectors: 'auto' });
  });

  it('takes from the environment what the file needs and leaves out', async () => {
    const tree = { 'project/team.json': JSON.stringify({ store: { schema: 'team' } }) };
    const named = { config: 'team.json' };
    await expect(settings(named, {}, tree)).rejects.toThrow('store.url');
    const given = await settings(named, { SKILLGATE_STORE_URL: 'postgres://db' }, tree);
    expect(given).toMatchObject({ config: { store: { schema: 'team', url: 'postgres://db' } } });
  });

  it('takes an empty setting for none', async () => {
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(picked(await settings({ skills: [], index: '', embedder: '', vectors: '' }, empty, all))).toEqual(
      picked(await settings({}, {}, all)),
    );
  });

  it('uses the default folders of hosts where none is named', async () => {
    const plugin = 'home/.claude/plugins/repos/a/skills';
    const tree = { 'project/.claude/skills': null, [plugin]: null };
    const { roots, sources } = await settings({}, {}, tree);
    expect(roots).toEqual([...HOSTS, `/${plugin}`]);
    expect(sources.filter(({ optional }) => !optional).map(({ name }) => name)).toEqual(['a']);
    expect(sources.filter(isThere).map(({ name }) => name)).toEqual(['claude', 'a']);
  });

  it('counts a dangling link as a folder, so that it is reported', async () => {
    const { sources } = await settings({}, {}, { 'project/.claude/skills': { to: 'nowhere' } });
    expect(sources.filter(isThere).map(({ name }) => name)).toEqual(['claude']);
  });

  it('keeps its index when a default folder becomes a link to another', async () => {
    const place = plant({ 'project/.claude/skills': null, 'project/.agents': null, home: null });
    const around = { cwd: join(place, 'project'), home: join(place, 'home'), env: {} };
    const before = await readSettings({}, around);
    add(place, { 'project/.agents/skills': { to: '../.claude/skills' } });
    const after = await readSettings({}, around);
    expect(before.roots.length - after.roots.length).toBe(1);
    expect(after.indexFolder).toBe(before.indexFolder);
  });

  it('takes the projects that a client has open, with one index for each set', async () => {
    const place = plant({ 'a/.claude/skills': null, 'b/deep': null, 'b/.git': null, home: null });
    const around = { cwd: '/', home: join(place, 'home'), env: {} };
    const base = await readSettings({}, around);
    const open = (...projects: string[]) =>
      settingsOfProjects(
        base,
        projects.map((project) => join(place, project)),
        around,
      );
    const roots = (open('a', 'b/deep')?.roots ?? []).map(({ root }) => root.replace(place, ''));
    expect(roots).toEqual(
      expect.arrayContaining(['/a/.claude/skills', '/b/.agents/skills', '/home/.config/goose/skills']),
    );
    expect(
      new Set([base, open('a'), open('b'), open('a', 'b')].map((found) => found?.indexFolder)).size,
    ).toBe(4);
    expect(open('a')?.indexFolder).toBe(
      (await readSettings({}, { ...around, cwd: join(place, 'a') })).indexFolder,
    );
    expect(open()).toBeNull();
    expect(settingsOfProjects(await readSettings({ skills: ['x'] }, around), [place], around)).toBeNull();
    const fixed = await readSettings({ index: '/ix' }, around);
    expect(settingsOfProjects(fixed, [join(place, 'a')], around)?.indexFolder).toMatch(/^\/ix-[0-9a-f]{16}$/);
  });

  it('reads the nearest file here or above, with paths relative to that file', async () => {
    const tree = config({ skills: ['./skills', '/elsewhere'], folder: '../ix', embedder: './model' });
    const found = await settings({}, {}, tree, 'deep');
    expect(found.roots).toEqual(['/project/skills', '/elsewhere']);
    expect(found.index).toBe('/ix');
    expect(found.own(found.embedder!)).toBe('/project/model');
  });

  it('knows the home directory wherever no shell has put it in', async () => {
    expect(await settings({ skills: ['~/s', '~'], index: '~/ix' })).toMatchObject({
      roots: ['/home/s', '/home'],
      index: '/home/ix',
    });
    expect((await settings({}, {}, config({ skills: ['~/s'] }))).roots).toEqual(['/home/s']);
    expect((await settings({ skills: ['~other'] })).roots).toEqual(['/project/~other']);
  });

  it('shares the index of what every project has: the folders at home and plugins, or the sources of the user’s file', async () => {
    const place = plant({
      'a/.git': null,
      'b/deep': null,
      'b/.git': null,
      'home/.claude/plugins/cache/m/p/1.0/skills/x/SKILL.md': skillText('x'),
      'config/skillgate/skillgate.config.json': JSON.stringify({
        sources: [{ kind: 'local', root: '/team' }],
      }),
      'a/skillgate.config.json': JSON.stringify({ sources: [{ kind: 'local', root: 'skills' }] }),
    });
    const sharedOf = async (cwd: string, options: CommonOptions = {}, env: Record<string, string> = {}) =>
      (await readSettings(options, { cwd: join(place, cwd), home: join(place, 'home'), env })).shared;
    const ofB = await sharedOf('b');
    expect(ofB?.indexFolder).toMatch(/\/home\/\.cache\/skillgate\/[0-9a-f]{16}$/);
    expect(ofB?.sources).toEqual(expect.arrayContaining(['claude-home', 'p']));
    expect(ofB?.sources).not.toContain('claude');
    // A plugin more is no other index.
    add(place, { 'home/.claude/plugins/cache/m/q/1.0/skills/x/SKILL.md': skillText('x') });
    expect(await sharedOf('b/deep')).toEqual({ ...ofB, sources: [...(ofB?.sources ?? []), 'q'] });
    expect((await sharedOf('b', { embedder: 'hub/m' }))?.indexFolder).not.toBe(ofB?.indexFolder);
    // Nothing is shared where folders or the index are named, nor at home itself.
    expect(await sharedOf('b', { skills: ['s'] })).toBeNull();
    expect(await sharedOf('b', { index: 'i' })).toBeNull();
    expect(await sharedOf('home')).toBeNull();
    const env = { XDG_CONFIG_HOME: join(place, 'config'), SKILLGATE_TRUST_PROJECT: '1' };
    expect((await sharedOf('a', {}, env))?.sources).toEqual(['team']);
    expect((await sharedOf('a', {}, env))?.indexFolder).not.toBe(ofB?.indexFolder);
    expect(await sharedOf('b', {}, env)).toBeNull();
  });

  it('keeps one index for each set of folders and model, in the cache', async () => {
    const indexOf = async (options: CommonOptions, more: Record<string, string> = {}) =>
      (await readSettings(options, { cwd: '/p', home: '/h', env: more })).indexFolder;
    expect(await indexOf({ skills: ['a'] })).toMatch(/^\/h\/\.cache\/skillgate\/[0-9a-f]{16}$/);
    expect(await indexOf({ skills: ['a'] })).toBe(await indexOf({ skills: ['/p/a'] }));
    const others = [{ skills: ['b'] }, { skills: ['a', 'b'] }, { skills: ['a'], embedder: 'hub/m' }];
    const folders = await Promise.all([{ skills: ['a'] }, ...others].map((options) => indexOf(options)));
    expect(new Set(folders).size).toBe(4);
    expect(await indexOf({ skills: ['a'] }, { XDG_CACHE_HOME: '/x' })).toMatch(/^\/x\/skillgate\//);
    for (const cache of ['', 'relative'])
      expect(await indexOf({ skills: ['a'] }, { XDG_CACHE_HOME: cache })).toMatch(/^\/h\/\.cache\//);
  });

  it('names the value that it refuses, wherever it came from', async () => {
    await expect(settings({}, { SKILLGATE_VECTORS: 'fast' })).rejects.toThrow('not "fast"');
  });

  describe('with a configuration', () => {
    const yaml = (text: string): Tree => ({ 'project/skillgate.config.yaml': text });
    const TWO = `sources:
  - { kind: local, root: ./skills }
  - { kind: git, name: team, url: ../team.git, tokenEnv: TOKEN }
`;

    it('opens the sources in their order, with absolute paths and expanded secrets', async () => {
      const { sources, roots, own, configured, lockFile } = await settings(
        {},
        { TOKEN: 'hunter2' },
        yaml(TWO),
        'deep',
      );
      expect(sources.map(({ name, token }) => ({ name, token }))).toEqual([
        { name: 'project', token: undefined },
        { name: 'team', token: 'hunter2' },
      ]);
      expect(sources[1]?.config).toMatchObject({ kind: 'git', url: expect.stringMatching(/\/team\.git$/) });
      expect(roots).toEqual(['/project/skills']);
      expect(configured).toEqual(['project', 'team']);
      expect(own(lockFile!)).toBe('/project/skillgate.lock.json');
    });

    it('follows links only where nobody else is served, unless a source says otherwise', async () => {
      const linksOf = async (text: string, overHttp = false) => {
        const place = plant({ home: null, ...yaml(text) });
        const environment = {
          cwd: join(place, 'project'),
          home: join(place, 'home'),
          env: { SKILLGATE_TRUST_PROJECT: '1' },
        };
        const { sources, roots } = await readSettings({}, environment, { overHttp });
        expect(roots.map(({ links }) => links)).toEqual(sources.map(({ links }) => links));
        return sources.map(({ links }) => links);
      };
      const two = (rest: string) =>
        `sources: [{ kind: local, root: a }, { kind: local, root: b, links: follow }]\n${rest}`;
      expect(await linksOf(two(''))).toEqual(['follow', 'follow']);
      expect(await linksOf(two(''), true)).toEqual(['none', 'follow']);
      for (const rest of [
        'auth: { tokens: t.json }',
        'policy: { default: allow }',
        'policy: { disabled: [x] }',
        'policy: { rules: [{ who: [local], allow: [{}] }] }',
      ])
        expect([rest, ...(await linksOf(two(rest)))]).toEqual([rest, 'none', 'follow']);
      expect(await linksOf('sources: [{ kind: local, root: a, links: none }]')).toEqual(['none']);
    });

    it('gives each fetched source its own folder, independent of its secrets', async () => {
      const placesOf = async (text: string, token = 'x') =>
        (await settings({}, { TOKEN: token, XDG_CACHE_HOME: '/cache' }, yaml(text))).sources.map(
          ({ fetchFolder }) => fetchFolder.replace(/-[0-9a-f]{16}$/, '-#'),
        );
      expect((await placesOf(TWO))[1]).toBe('/cache/skillgate/sources/team-#');
      const one = async (url: string, token: string) => {
        const place = plant({
          home: null,
          'p/skillgate.config.yaml': `sources:\n  - { kind: git, name: t, url: '${url}', tokenEnv: T }\n`,
        });
        const env = { SKILLGATE_TRUST_PROJECT: '1', T: token };
        const around = { cwd: join(place, 'p'), home: join(place, 'home'), env };
        return [
          await readSettings({}, around),
          await readSettings({}, { ...around, env: { ...env, T: `${token}!` } }),
        ].map(({ sources }) => sources[0]?.fetchFolder);
      };
      const [a, again] = await one('https://a.org/x.git', '1');
      expect(a).toBe(again);
      const [b] = await one('https://b.org/x.git', '1');
      expect(b?.split('/').at(-1)).not.toBe(a?.split('/').at(-1));
    });

    it('lets --skills and SKILLGATE_SKILLS replace its sources, and then needs no secrets', async () => {
      expect((await settings({ skills: ['f'] }, {}, yaml(TWO))).sources.map(({ name }) => name)).toEqual([
        'f',
      ]);
      expect((await settings({}, { SKILLGATE_SKILLS: 'e' }, yaml(TWO))).roots).toEqual(['/project/e']);
    });

    it('uses the default folders where it names no source', async () => {
      const tree = { ...yaml('limits: { callsPerMinute: 3 }'), 'project/.claude/skills': null };
      const found = await settings({}, {}, tree);
      expect(found.roots).toEqual(HOSTS);
      expect(found.config.limits.callsPerMinute).toBe(3);
    });

    it('is the one that --config names, before SKILLGATE_CONFIG, before the nearest', async () => {
      const file = (name: string) => `sources: [{ kind: local, root: ./${name} }]`;
      const tree = {
        ...yaml(file('near')),
        'project/a.yaml': file('a'),
        'project/b.yml': file('b'),
        'project/s.json': `{"sources": [{"kind": "local", "root": "s"}]}`,
      };
      expect((await settings({}, {}, tree)).roots).toEqual(['/project/near']);
      expect((await settings({}, { SKILLGATE_CONFIG: 'b.yml' }, tree)).roots).toEqual(['/project/b']);
      expect((await settings({ config: 'a.yaml' }, { SKILLGATE_CONFIG: 'b.yml' }, tree)).roots).toEqual([
        '/project/a',
      ]);
      expect((await settings({ config: 's.json' }, {}, tree)).roots).toEqual(['/project/s']);
    });

    it('carries every part of itself on, its paths absolute', async () => {
      const text = `policy: { disabled: ['legacy/**'] }
auth: { tokens: ~/tokens.json }
telemetry: { audit: audit.log }
index: { folder: ./ix, embedder: ./model }
sources:
  - { kind: archive, path: vendor/x.zip }
  - { kind: mcp, command: ./server.js }
  - { kind: mcp, command: npx, args: [y], cwd: sub }
`;
      const { config, own, index } = await settings({}, {}, yaml(text));
      expect(config.policy.disabled).toEqual(['legacy/**']);
      expect(index).toBe('/project/ix');
      const paths = [config.auth.tokens, config.telemetry.audit, config.index.embedder];
      expect(paths.map((path) => own(path ?? ''))).toEqual([
        '/home/tokens.json',
        '/project/audit.log',
        '/project/model',
      ]);
      const [archive, script, program] = config.sources;
      expect(archive).toMatchObject({ path: expect.stringMatching(/\/project\/vendor\/x\.zip$/) });
      expect(script).toMatchObject({
        command: expect.stringMatching(/\/project\/server\.js$/),
        cwd: expect.stringMatching(/\/project$/),
      });
      expect(program).toMatchObject({ command: 'npx', cwd: expect.stringMatching(/\/project\/sub$/) });
    });

    it('is frozen by the flag or by the environment', async () => {
      expect((await settings({})).frozen).toBe(false);
      expect((await settings({ frozen: true })).frozen).toBe(true);
      for (const [value, frozen] of [
        ['1', true],
        ['true', true],
        ['0', false],
        ['', false],
      ] as const)
        expect((await settings({}, { SKILLGATE_FROZEN: value })).frozen).toBe(frozen);
    });
  });
});
