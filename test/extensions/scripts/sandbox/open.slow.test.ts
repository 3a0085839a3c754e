/** The real sandbox if this machine has one, and the refusals of machines without one. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSandbox } from '../../../../extensions/scripts/sandbox/open.ts';
import type { RunRequest } from '../../../../extensions/scripts/sandbox/sandbox.ts';
import { MACHINE } from '../../../machine.ts';
import { needsThat } from '../../../needs.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const limits = {
  wallMs: 20_000,
  cpuMs: 20_000,
  memoryBytes: 256 * 2 ** 20,
  processes: 16,
  fileBytes: 2 ** 20,
  workBytes: 2 ** 22,
  outputBytes: 2 ** 16,
};
const request = (script: string, more: Partial<RunRequest> = {}): RunRequest => ({
  command: 'sh',
  args: ['-c', script, 'sh', 'one', 'two'],
  readOnly: [{ path: 'a/b.txt', bytes: Buffer.from('given') }],
  work: [{ path: 'w.txt', bytes: Buffer.from('work') }],
  stdin: Buffer.from('input'),
  env: { GRANTED: 'yes' },
  limits,
  keep: { files: 10, bytes: 1_000 },
  ...more,
});

const sandbox = openSandbox(MACHINE);
/** By bubblewrap itself: a fault of this project’s sandbox must fail these tests, not skip them. */
const PROBE = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', 'true'];
const nobody = MACHINE.uid === 0 ? { uid: 65_534, gid: 65_534 } : {};
const sandboxed = spawnSync('bwrap', PROBE, { ...nobody, cwd: '/' }).status === 0;
const bubblewrap = needsThat(sandboxed, 'bubblewrap');
const forwarded = spawnSync('socat', ['-V']).status === 0;

/** The result of a script, with its output as text. */
async function ran(script: string, more: Partial<RunRequest> = {}) {
  const result = await sandbox.run(request(script, more));
  const [stdout, stderr] = [result.stdout, result.stderr].map((bytes) => Buffer.from(bytes).toString());
  return { ...result, stdout: stdout ?? '', stderr: stderr ?? '' };
}

describe('a machine without a sandbox', () => {
  it.each([
    ['another system', { platform: 'darwin' }, 'Linux only'],
    ['another architecture', { architecture: 's390x' }, 'x64 and arm64'],
    ['no bubblewrap', { path: '/nowhere' }, 'apt-get install bubblewrap'],
    ['a relative path to it', { path: 'usr/bin' }, 'not installed'],
  ])('reports what is missing and runs nothing: %s', async (_, lacking, says) => {
    const without = openSandbox({ ...MACHINE, platform: 'linux', architecture: 'x64', ...lacking });
    const status = await without.status();
    expect(status).toMatchObject({ layer: null, guarantees: [] });
    expect(status.problems.join()).toContain(says);
    await expect(without.run(request('true'))).rejects.toMatchObject({
      code: 'SANDBOX_MISSING',
      message: expect.stringContaining(says),
    });
  });

  it.each([
    ['fails', '/bin/false'],
    ['contains nothing', '/bin/true'],
  ])('reports a bubblewrap that %s, and what to allow', bubblewrap, async (_, program) => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    symlinkSync(program, join(folder, 'bwrap'));
    const without = openSandbox({ ...MACHINE, path: folder });
    const { layer, guarantees, problems } = await without.status();
    expect([layer, guarantees, problems.length]).toEqual([null, [], 2]);
    expect(problems[0]).toContain('is installed but does not confine scripts: ');
    expect(problems[1]).toContain('user namespaces');
    // It may be allowed before the next call.
    rmSync(join(folder, 'bwrap'));
    symlinkSync(
      realpathSync(spawnSync('sh', ['-c', 'command -v bwrap']).stdout.toString().trim()),
      join(folder, 'bwrap'),
    );
    expect((await without.status()).layer).toMatch(/^bubblewrap \d/);
  });
});

describe('programs outside the system folders', () => {
  const programs = { mine: '/opt/mine', sh: '/opt/sh', relative: 'opt/relative' };
  const pathsFor = (uid: number) =>
    ['mine', 'sh', 'relative', 'toString'].map((name) =>
      openSandbox({ ...MACHINE, uid, programs }).programPath(name),
    );

  it('appear in a folder of their own, except those that the system has', () => {
    const [mine, sh, relative, inherited] = pathsFor(1_000);
    expect([mine, relative, inherited]).toEqual(['/run/programs/mine', null, null]);
    expect(sh).toMatch(/\/bin\/sh$/);
  });

  it('do not appear for root, whose files user nobody may not read', () => {
    expect(pathsFor(0)[0]).toBeNull();
  });
});

describe('the status', bubblewrap, () => {
  it('names the layer and what it restricts, and is checked once', async () => {
    const status = await sandbox.status();
    expect(status).toMatchObject({ layer: expect.stringMatching(/^bubblewrap \d/), problems: [] });
    const text = status.guarantees.join('\n');
    for (const word of [
      'namespaces',
      'user nobody',
      'system call filter',
      'read-only',
      '/proc',
      'control group',
    ])
      expect(text).toContain(word);
    expect(await sandbox.status()).toBe(status);
  });
});

describe('inside', bubblewrap, () => {
  it('a script is nobody, in a work folder, with the granted environment alone', async () => {
    const { stdout } = await ran(
      'id -u; id -g; hostname; pwd; umask; env | grep -v "^PWD=\\|^_=\\|^SHLVL=" | sort',
    );
    expect(stdout.split('\n')).toEqual([
      ...['65534', '65534', 'sandbox', '/tmp/work', '0022'],
      ...['GRANTED=yes', 'HOME=/tmp/home', 'LANG=C.UTF-8', 'PATH=/usr/local/bin:/usr/bin:/bin:/run/programs'],
      ...['TMPDIR=/tmp', ''],
    ]);
  });

  it('it can write in its own folders only', async () => {
    const places = ['/', '/usr', '/bin', '/etc', '/dev', '/run', '/skill', '/skill/a', '/proc/irq'];
    const own = ['/tmp', '/tmp/home', '/tmp/work', '/var/tmp', '/dev/shm'];
    const tried = [...places, ...own].join(' ');
    const { stdout } = await ran(`for at in ${tried}; do touch $at/x 2>/dev/null && echo $at; done`);
    expect(stdout.trim().split('\n')).toEqual(own);
    expect((await ran('echo more >>w.txt && cat w.txt; echo more >>/skill/a/b.txt')).stdout).toBe(
      'workmore\n',
    );
  });

  it('it sees no users, devices, kernel or processes of the machine', async () => {
    expect(
      (await ran('cut -d: -f1 /etc/passwd /etc/group; cat /etc/hosts; ls /etc/shadow 2>&1')).stdout,
    ).toMatch(/^nobody\nnogroup\n127\.0\.0\.1 localhost sandbox\n.*(No such|denied|cannot)/);
    expect((await ran('ls /dev | tr "\\n" " "')).stdout.trim()).toBe(
      'fd full null random shm stderr stdin stdout urandom zero',
    );
    const { stdout } = await ran('cat /proc/cmdline /proc/modules 2>/dev/null; ls -A /proc/irq /proc/driver');
    expect(stdout).toBe('/proc/driver:\n\n/proc/irq:\n');
    // The launcher, the shell, ls and wc.
    expect(Number((await ran('ls -d /proc/[0-9]* | wc -l')).stdout)).toBeLessThanOrEqual(5);
    expect((await ran('cat /proc/net/route | wc -l; readlink /proc/self/fd/*')).stdout).toMatch(/^1\n/);
  });

  it('it has the kernel’s limits for a process', async () => {
    const { stdout } = await ran('cat /proc/self/limits /proc/1/oom_score_adj; cat /proc/self/status');
    for (const line of [/Max file size +1048576/, /Max data size +268435456/, /Max processes +17/, /^1000$/m])
      expect(stdout).toMatch(line);
    for (const line of [/NoNewPrivs:\s+1/, /CapEff:\s+0+$/m, /Seccomp:\s+2/]) expect(stdout).toMatch(line);
    expect((await ran('head -c 2000000 /dev/zero >big; stat -c %s big')).stdout.trim()).toBe('1048576');
    const all = 'at=0; while head -c 1000000 /dev/zero >f$at 2>/dev/null; do at=$((at + 1)); done; echo $at';
    expect((await ran(all)).stdout).toBe('4\n');
  });
});

describe('a run is ended', bubblewrap, () => {
  const TWO = '(head -c 40000000 /dev/zero; sleep 60) | tail -c 50000000 >/dev/null &';
  it.each([
    ['wall-time', 'sleep 60', { wallMs: 200 }],
    ['cpu-time', 'while :; do :; done & while :; do :; done', { cpuMs: 300 }],
    ['memory', `${TWO} ${TWO} wait`, { memoryBytes: 64 * 2 ** 20 }],
    ['entries', 'at=0; while [ $at -lt 21000 ]; do : >$at; at=$((at + 1)); done; sleep 60', {}],
    ['output', 'yes; sleep 60', { outputBytes: 1_000 }],
    ['output', 'yes >&2; sleep 60', { outputBytes: 1_000 }],
  ] as const)('at its limit of %s: %s', async (killedBy, script, more) => {
    const result = await ran(script, { limits: { ...limits, wallMs: 50_000, ...more } });
    expect(result).toMatchObject({ killedBy, exitCode: null, signal: 'SIGKILL' });
    expect(result.truncated).toBe(killedBy === 'output');
    expect(result.stdout.length + result.stderr.length).toBe(killedBy === 'output' ? 1_000 : 0);
  });

  it('with all of its processes', async () => {
    const { wallMs, cpuMs, killedBy } = await ran('(sleep 300 &) ; while :; do : ; done', {
      limits: { ...limits, wallMs: 1_000 },
    });
    expect(killedBy).toBe('wall-time');
    expect(wallMs).toBeGreaterThanOrEqual(900);
    expect(cpuMs).toBeGreaterThan(0);
    // A process that is left in the background ends with the script, though it holds the output open.
    expect(await ran('sleep 300 & echo done')).toMatchObject({
      stdout: 'done\n',
      exitCode: 0,
      killedBy: null,
    });
  });

  it('without a report if it ended the launcher, and with codes that are no signal as they are', async () => {
    expect(await ran('exit 200')).toMatchObject({ exitCode: 200, signal: null });
    expect(await ran('exit 128')).toMatchObject({ exitCode: 128, signal: null });
    expect(await ran('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL', killedBy: null });
  });
});

describe('a run with a proxy', needsThat(sandboxed && forwarded, 'bubblewrap and socat'), () => {
  it('reaches it at http_proxy, by a socket that has no name any more', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((message, response) => {
      asked.push(message.url);
      response.end('from the proxy');
    });
    let at = '';
    const network = {
      listen: (path: string) =>
        new Promise<void>((resolve) => {
          at = path;
          server.listen(path, resolve);
        }),
    };
    const script = `exec 9<>/dev/null; printf 'GET http://example.org/ HTTP/1.0\\r\\n\\r\\n' | socat -t5 - TCP:127.0.0.1:3128; echo; echo $http_proxy`;
    const { stdout } = await ran(script, { network });
    expect(stdout).toContain('from the proxy\nhttp://127.0.0.1:3128');
    expect(asked).toEqual(['http://example.org/']);
    expect(existsSync(dirname(at))).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect((await ran('echo "$http_proxy"; ls /run')).stdout).toBe('\nstdin\n');
  });

  it('reports that the socket cannot be made', async () => {
    const network = { listen: () => Promise.reject(new Error('no room')) };
    await expect(sandbox.run(request('true', { network }))).rejects.toMatchObject({
      code: 'SANDBOX_FAILED',
      message: expect.stringContaining('no room'),
    });
  });
});

describe('a run', bubblewrap, () => {
  it('gets arguments, input, files and environment, and returns output, files and measurements', async () => {
    const outputs: string[] = [];
    const result = await sandbox.run(
      request('echo "$1 $2 $GRANTED"; cat - /skill/a/b.txt w.txt; echo no >&2; echo left >new; exit 3', {
        onOutput: (stream, bytes) => outputs.push(`${stream} ${Buffer.from(bytes)}`),
      }),
    );
    expect(Buffer.from(result.stdout).toString()).toBe('one two yes\ninputgivenwork');
    expect(Buffer.from(result.stderr).toString()).toBe('no\n');
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      killedBy: null,
      truncated: false,
      leftOut: [],
    });
    expect(result.files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['new', 'left\n'],
    ]);
    expect(outputs.some((line) => line.startsWith('stdout one two yes'))).toBe(true);
    expect(result.peakBytes).toBeGreaterThan(0);
  });

  it('reports the signal that ended it', async () => {
    expect(await sandbox.run(request('kill -SEGV $$'))).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  });

  it('opens /dev/stdin and /dev/stderr as usual', async () => {
    const { stdout, stderr } = await sandbox.run(request('cat /dev/stdin; echo said >/dev/stderr'));
    expect([stdout, stderr].map((bytes) => Buffer.from(bytes).toString())).toEqual(['input', 'said\n']);
  });

  it('ends at once if it is cancelled before or during the run', async () => {
    const before = await sandbox.run(request('sleep 60', { signal: AbortSignal.abort() }));
    expect(before).toMatchObject({ exitCode: null, killedBy: 'cancelled' });
    const cancel = new AbortController();
    const running = sandbox.run(
      request('echo up; sleep 60', { signal: cancel.signal, onOutput: () => cancel.abort() }),
    );
    expect(await running).toMatchObject({ killedBy: 'cancelled' });
  });

  it('offers the system’s programs, and reports a missing one', async () => {
    expect(sandbox.programPath('sh')).toMatch(/^\/(usr\/)?bin\/sh$/);
    expect(sandbox.programPath('no-such-program')).toBeNull();
    await expect(sandbox.run(request('', { command: 'no-such-program' }))).rejects.toMatchObject({
      name: 'SandboxError',
      code: 'PROGRAM_MISSING',
      message: expect.stringContaining('no-such-program is not installed'),
    });
  });

  it('can run many times in parallel, each isolated', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, at) => sandbox.run(request(`echo ${at} >own; ls; sleep 0.1; cat own`))),
    );
    expect(results.map(({ stdout }) => Buffer.from(stdout).toString())).toEqual(
      Array.from({ length: 6 }, (_, at) => `own\nw.txt\n${at}\n`),
    );
  });

  it('accepts hundreds of files', async () => {
    const readOnly = Array.from({ length: 500 }, (_, at) => ({ path: `d/${at}`, bytes: Buffer.from('x') }));
    const { stdout } = await sandbox.run(request('ls /skill/d | wc -l', { readOnly }));
    expect(Buffer.from(stdout).toString().trim()).toBe('500');
  });
});
