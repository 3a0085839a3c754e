import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type GitSourceOptions,
  gitSource,
  splitRef,
} from '../../../../extensions/remote-sources/git/source.ts';
import { describeFetchedSource, fetchOptions } from '../../../contracts/fetched-source.ts';
import { plant, skillText, type Tree } from '../../../src/sources/scan/tree.ts';
import { double, fakeSsh, GIT_ENV, type Repository, repository } from './repository.ts';

const TEA = skillText('tea');
const POT = skillText('pot');

describeFetchedSource('gitSource over SSH', async () => {
  const [origin, ssh] = [repository(), fakeSsh()];
  const local = double(origin, {});
  return {
    ...local,
    stall: async () => writeFileSync(join(ssh.folder, 'stalls'), ''),
    up: async () => {
      rmSync(join(ssh.folder, 'stalls'), { force: true });
      await local.up();
    },
    source: (options) => gitSource({ ...options, url: `ssh://git@team${origin.path}`, env: ssh.env }),
  };
});

async function fetched(more: Partial<GitSourceOptions> & { url: string }) {
  const place = join(plant({}), 'place');
  const source = gitSource({ ...fetchOptions(place), env: GIT_ENV, ...more });
  await source.refresh();
  const { folders, diagnostics } = await source.scan();
  const { failure, resolved, origin } = source.status();
  return {
    ...{ source, place, failure, resolved, origin, folders },
    ids: folders.map(({ id }) => id),
    files: folders.flatMap(({ id, files }) => files.map(({ path }) => `${id}/${path}`)),
    found: diagnostics.map(({ id, path }) => `${id} ${path}`),
  };
}

function holding(tree: Tree): Repository {
  const origin = repository();
  origin.commit(tree);
  return origin;
}

describe('gitSource', () => {
  it('takes the remote’s HEAD, a branch, a tag of either kind, a full ref or a commit', async () => {
    const origin = repository();
    const first = origin.commit({ 'one/SKILL.md': TEA });
    origin.git('tag', 'light', first);
    origin.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'tag', '-a', '-m', '.', 'v1', first);
    const second = origin.commit({ 'two/SKILL.md': TEA });
    const third = origin.commit({ 'three/SKILL.md': TEA }, 'topic/x');
    for (const [ref, commit, id] of [
      [undefined, second, 'two'],
      ['HEAD', second, 'two'],
      ['topic/x', third, 'three'],
      ['refs/heads/topic/x', third, 'three'],
      ['light', first, 'one'],
      ['v1', first, 'one'],
      ['refs/tags/v1', first, 'one'],
      [first, first, 'one'],
    ] as const) {
      const { resolved, ids, failure } = await fetched({
        url: origin.path,
        ...(ref === undefined ? {} : { ref }),
      });
      expect({ ref, resolved, ids, failure }).toEqual({ ref, resolved: commit, ids: [id], failure: null });
    }
  });

  it('tells the branch from the folder by the remote’s refs, the longest one', async () => {
    const origin = repository();
    const commit = origin.commit({ 'skills/tea/SKILL.md': TEA }, 'feature/new-ui');
    origin.git('tag', 'v1', commit);
    const of = (path: string) => splitRef({ url: origin.path, env: GIT_ENV }, path);
    expect(await of('feature/new-ui/skills/tea')).toEqual({ ref: 'feature/new-ui', folder: 'skills/tea' });
    expect(await of('feature/new-ui')).toEqual({ ref: 'feature/new-ui' });
    expect(await of('v1/skills')).toEqual({ ref: 'v1', folder: 'skills' });
    expect(await of(`${commit}/skills`)).toEqual({ ref: commit, folder: 'skills' });
    expect(await of('none/skills')).toBeNull();
  });

  it('does not fetch a commit again that it has', async () => {
    const origin = repository();
    const ref = origin.commit({ 'tea/SKILL.md': TEA });
    const { source } = await fetched({ url: origin.path, ref });
    origin.down();
    expect(await source.refresh()).toBe(false);
    expect(source.status().failure).toBeNull();
  });

  it('fetches the pinned commit, even after the branch moved on and was rewritten', async () => {
    const origin = repository();
    const pinned = origin.commit({ 'one/SKILL.md': TEA });
    origin.git('update-ref', '-d', 'refs/heads/main');
    origin.commit({ 'two/SKILL.md': TEA });
    expect(await fetched({ url: origin.path, pinned })).toMatchObject({ resolved: pinned, ids: ['one'] });
  });

  it.each(['gone', 'v9', 'f'.repeat(40)])('reports that there is no %s', async (ref) => {
    const { failure } = await fetched({ url: holding({ 'tea/SKILL.md': TEA }).path, ref });
    expect(failure).toContain(ref);
  });

  it('reports that a repository is empty', async () => {
    expect((await fetched({ url: repository().path })).failure).toContain('no commit yet');
  });

  it('takes a sub-folder, and fetches no file outside it', async () => {
    const origin = holding({ 'docs/a/SKILL.md': POT, 'team/skills/tea/SKILL.md': TEA, 'large.bin': 'x' });
    // The remote has lost these files: fetching them would fail.
    for (const path of ['docs/a/SKILL.md', 'large.bin']) {
      const oid = origin.git('rev-parse', `main:${path}`);
      rmSync(join(origin.path, 'objects', oid.slice(0, 2), oid.slice(2)));
    }
    const { ids, failure } = await fetched({ url: origin.path, folder: 'team/skills/' });
    expect({ ids, failure }).toEqual({ ids: ['tea'], failure: null });
    expect((await fetched({ url: origin.path, folder: 'gone' })).failure).toContain('no folder gone');
  });

  it('names a repository that is one skill after the source', async () => {
    const { files } = await fetched({ url: holding({ 'SKILL.md': TEA, 'references/a.md': 'x' }).path });
    expect(files).toEqual(['team/SKILL.md', 'team/references/a.md']);
  });

  it('reads files as they were committed: no line endings, encodings, filters or keywords', async () => {
    const text = `${TEA}a\r\nb\n$Id$\n`;
    const attributes = '* text eol=crlf ident working-tree-encoding=UTF-16 filter=lfs\n';
    const origin = repository();
    origin.commit({ 'tea/SKILL.md': text });
    const blob = origin.git('rev-parse', 'main:tea/SKILL.md');
    const rules = inObjects(origin, 'blob', attributes);
    plantTree(origin, [
      `100644 blob ${rules}\t.gitattributes`,
      `040000 tree ${treeOf(origin, [`100644 blob ${blob}\tSKILL.md`])}\ttea`,
    ]);
    const { folders, failure } = await fetched({ url: origin.path });
    expect(failure).toBeNull();
    expect(readFileSync(join(folders[0]!.folder, 'SKILL.md'), 'utf8')).toBe(text);
  });

  it('keeps the executable bit, and leaves out links and submodules', async () => {
    const origin = repository();
    origin.commit({
      'tea/SKILL.md': TEA,
      'tea/link.md': { to: 'SKILL.md' },
      'tea/leak.md': { to: '/etc/passwd' },
    });
    const entry = (path: string) => origin.git('rev-parse', `main:${path}`);
    const tea = treeOf(origin, [
      `100644 blob ${entry('tea/SKILL.md')}\tSKILL.md`,
      `120000 blob ${entry('tea/leak.md')}\tleak.md`,
      `120000 blob ${entry('tea/link.md')}\tlink.md`,
      `100755 blob ${entry('tea/SKILL.md')}\trun.sh`,
      `160000 commit ${origin.git('rev-parse', 'main')}\tsub`,
    ]);
    plantTree(origin, [`040000 tree ${tea}\ttea`, `120000 blob ${entry('tea/link.md')}\tREADME.md`]);
    const { folders, files, found } = await fetched({ url: origin.path });
    expect(files).toEqual(['tea/SKILL.md', 'tea/run.sh']);
    expect(found).toEqual([
      'entry-submodule tea/sub',
      'entry-special tea/leak.md',
      'entry-special tea/link.md',
    ]);
    const modes = ['SKILL.md', 'run.sh'].map((name) => statSync(join(folders[0]!.folder, name)).mode & 0o777);
    expect(modes).toEqual([0o644, 0o755]);
  });

  it.each([
    ['..', '`..`'],
    ['.', '`.` parts'],
    ['', 'empty'],
  ])('takes nothing of a commit with a folder called %j', async (name, said) => {
    const origin = holding({ 'tea/SKILL.md': TEA });
    const tea = Buffer.from(origin.git('rev-parse', 'main:tea'), 'hex');
    const raw = Buffer.concat([
      ...[Buffer.from(`40000 ${name}\0`), tea],
      ...[Buffer.from('40000 tea\0'), tea],
    ]);
    // git refuses to write such a tree without this option, which is for tests.
    commitTree(origin, inObjects(origin, 'tree', raw));
    const { failure, files } = await fetched({ url: origin.path });
    expect(files).toEqual([]);
    expect(failure).toContain(said);
  });

  it('runs nothing, whatever the repository contains and the user’s settings allow', async () => {
    const trap = plant({ 'trap.sh': '#!/bin/sh\ntouch "$(dirname "$0")/sprung"\n' });
    const script = join(trap, 'trap.sh');
    chmodSync(script, 0o755);
    const hooks = Object.fromEntries(
      ['post-checkout', 'post-merge', 'reference-transaction', 'post-index-change', 'pre-auto-gc'].map(
        (name) => [`hooks/${name}`, `#!/bin/sh\n${script}\n`],
      ),
    );
    const home = plant({
      ...hooks,
      'template/hooks/reference-transaction': `#!/bin/sh\n${script}\n`,
      '.gitconfig': [
        `[core]\n fsmonitor = ${script}\n hooksPath = hooks\n askPass = ${script}\n pager = ${script}`,
        `[init]\n templateDir = template`,
        `[filter "lfs"]\n smudge = ${script}\n process = ${script}\n required = true`,
        `[protocol]\n allow = always`,
        `[submodule]\n recurse = true`,
        `[fetch]\n recurseSubmodules = true`,
      ].join('\n'),
    });
    for (const path of [...Object.keys(hooks), 'template/hooks/reference-transaction'])
      chmodSync(join(home, path), 0o755);
    const origin = holding({
      'tea/SKILL.md': TEA,
      '.gitattributes': '* filter=lfs diff=lfs merge=lfs\n',
      '.gitmodules': `[submodule "x"]\n path = x\n url = ext::sh -c ${script}\n update = !${script}\n`,
      '.lfsconfig': '[lfs]\n url = http://127.0.0.1:1/\n',
      'tea/hooks/post-checkout': `#!/bin/sh\n${script}\n`,
    });
    // git finds settings from its working directory, and hooks from there.
    const env = {
      ...GIT_ENV,
      GIT_CONFIG_NOSYSTEM: undefined,
      HOME: home,
      GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    };
    const { ids, failure } = await fetched({ url: origin.path, env });
    expect({ ids, failure }).toEqual({ ids: ['tea'], failure: null });
    expect(existsSync(join(trap, 'sprung'))).toBe(false);
  });

  describe('given input that could make git do something else', () => {
    /** A git program that records that it was called. */
    function trapped() {
      const folder = plant({ git: '#!/bin/sh\ntouch "$(dirname "$0")/called"\nexit 1\n' });
      chmodSync(join(folder, 'git'), 0o755);
      return { env: { PATH: folder }, called: () => existsSync(join(folder, 'called')) };
    }

    it.each([
      'ext::sh -c "touch /tmp/x"',
      'ext::https://example.org/x',
      'fd::17',
      'git://example.org/x.git',
      'http://example.org/x.git',
      'ftp://example.org/x.git',
      '--upload-pack=touch /tmp/x',
      '-oProxyCommand=x:y',
      'ssh://-oProxyCommand=touch%20x/y',
      '-x@host:path',
      'relative/path',
      'https://example.org/x\n--upload-pack=y',
      '',
    ])('refuses the URL %j without starting git', async (url) => {
      const { env, called } = trapped();
      const { failure, ids } = await fetched({ url, env });
      expect(failure).toMatch(/^The repository’s URL .*: give an https:\/\//);
      expect(ids).toEqual([]);
      expect(called()).toBe(false);
    });

    it.each([
      '--upload-pack=x',
      '-x',
      'a b',
      'a..b',
      'a:b',
      'a^{/x}',
      '@{u}',
      'x.lock',
      '/a',
      'a\nb',
      '*',
      '',
    ])('refuses the ref %j without starting git', async (ref) => {
      const { env, called } = trapped();
      expect((await fetched({ url: '/repository', ref, env })).failure).toContain(
        'is not the name of a branch',
      );
      expect(called()).toBe(false);
    });
  });

  describe('given credentials', () => {
    /** A git program that records its arguments and the secrets in its environment, and prints the secrets as its error. */
    function repeating() {
      const script = [
        '#!/bin/sh',
        'here=$(dirname "$0")',
        'echo "$@" >> "$here/arguments"',
        'echo "$GIT_CONFIG_COUNT|$GIT_CONFIG_KEY_0|$GIT_CONFIG_VALUE_0|$GIT_TERMINAL_PROMPT|$GIT_ALLOW_PROTOCOL|$GIT_SSH_COMMAND" >> "$here/environment"',
        'echo "fatal: unable to access: $GIT_CONFIG_VALUE_0 token-0123456789" >&2',
        'exit 128',
      ].join('\n');
      const folder = plant({ git: script });
      chmodSync(join(folder, 'git'), 0o755);
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      return { env: { PATH: `${folder}:${process.env.PATH}` }, read };
    }

    it.each([
      ['a token', 'https://example.org/x.git', 'token-0123456789', 'x-access-token:token-0123456789'],
      ['user and password', 'https://example.org/x.git', 'bob:token-0123456789', 'bob:token-0123456789'],
      [
        'a URL with them',
        'https://bob:token-0123456789@example.org/x.git',
        undefined,
        'bob:token-0123456789',
      ],
    ])('hands %s on by the environment, and shows it nowhere', async (_, url, token, pair) => {
      const { env, read } = repeating();
      const { source, failure, origin, place } = await fetched({
        url,
        env,
        ...(token === undefined ? {} : { token }),
      });
      const encoded = Buffer.from(pair).toString('base64');
      expect(read('environment')).toContain(
        `1|http.https://example.org/.extraHeader|Authorization: Basic ${encoded}|0|https:ssh|ssh -oBatchMode=yes`,
      );
      expect(origin).toBe('https://example.org/x.git');
      expect(failure).toContain('unable to access');
      const kept = readdirSync(place).map((name) =>
        name.endsWith('.json') ? readFileSync(join(place, name), 'utf8') : '',
      );
      for (const text of [
        read('arguments'),
        JSON.stringify(source.status()),
        JSON.stringify(await source.scan()),
        ...kept,
      ]) {
        expect(text).not.toContain('token-0123456789');
        expect(text).not.toContain(encoded);
      }
    });

    it('hides credentials that the user’s own settings put into a URL', async () => {
      const folder = plant({
        git: '#!/bin/sh\necho "fatal: no https://bob:hunter2@example.org/x.git" >&2\nexit 128\n',
      });
      chmodSync(join(folder, 'git'), 0o755);
      const env = { PATH: `${folder}:${process.env.PATH}` };
      const { failure } = await fetched({ url: 'https://example.org/x.git', env });
      expect(failure).toBe('git: no https://***@example.org/x.git. Check URL, ref and credentials.');
    });

    it('keeps the user’s own SSH program', async () => {
      const { env, read } = repeating();
      await fetched({ url: 'git@team:x.git', env: { ...env, GIT_SSH: '/usr/bin/plink' } });
      expect(read('environment')).toBe('|||0|ssh|\n');
    });

    it('adds to settings that are already in the environment', async () => {
      const { env, read } = repeating();
      const before = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.proxy', GIT_CONFIG_VALUE_0: 'x' };
      await fetched({
        url: 'https://example.org/x.git',
        token: 'token-0123456789',
        env: { ...env, ...before },
      });
      expect(read('environment')).toMatch(/^2\|http\.proxy\|x\|/);
    });
  });

  it('reports that the git program is missing', async () => {
    expect((await fetched({ url: '/x', env: { PATH: plant({}) } })).failure).toContain('install git');
  });

  it('ends all its processes at the time limit', async () => {
    const ssh = fakeSsh();
    writeFileSync(join(ssh.folder, 'stalls'), '');
    const { failure } = await fetched({ url: 'git@team:x.git', env: ssh.env, timeoutMs: 6_000 });
    expect(failure).toContain('6 s');
    const pids = readFileSync(join(ssh.folder, 'pids'), 'utf8').trim().split('\n').map(Number);
    expect(pids).toHaveLength(1);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  it('leaves nothing behind but the fetched files', async () => {
    const origin = holding({ 'tea/SKILL.md': TEA });
    const { source, place } = await fetched({ url: origin.path });
    origin.commit({ 'tea/SKILL.md': POT });
    await source.refresh();
    await source.close();
    await setTimeout(0);
    expect(readdirSync(place).sort()).toEqual(['aside', 'contents.json', 'objects', 'state.json', 'tree']);
    expect(readdirSync(join(place, 'aside'))).toEqual([]);
    const objects = readdirSync(join(place, 'objects'), { recursive: true, withFileTypes: true });
    expect(objects.filter((entry) => entry.isFile())).toHaveLength(1);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function inObjects(origin: Repository, type: string, input: string | Uint8Array): string {
  const args = ['hash-object', '-t', type, '--literally', '-w', '--stdin'];
  return execFileSync('git', args, { cwd: origin.path, env: GIT_ENV, input, encoding: 'utf8' }).trim();
}

function treeOf(origin: Repository, lines: readonly string[]): string {
  return execFileSync('git', ['mktree', '--missing'], {
    cwd: origin.path,
    env: GIT_ENV,
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  }).trim();
}

function commitTree(origin: Repository, tree: string): void {
  origin.git('update-ref', 'refs/heads/main', origin.git('commit-tree', '-m', '.', tree));
}

function plantTree(origin: Repository, lines: readonly string[]): void {
  commitTree(origin, treeOf(origin, lines));
}
