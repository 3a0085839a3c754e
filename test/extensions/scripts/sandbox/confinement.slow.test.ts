import { beforeEach, describe, expect, it } from 'vitest';
import { confinement, type Part } from '../../../../extensions/scripts/sandbox/confinement.ts';

const host = {
  linkAt: (path: string) => ({ '/bin': 'usr/bin', '/lib': null as string | null })[path],
};
const run = {
  env: { GIVEN: 'value', PATH: '/evil' },
  readOnly: [{ path: 'scripts/-x\ny.sh', bytes: Buffer.from('echo') }],
  work: [{ path: 'in.txt', bytes: Buffer.from('in') }],
  stdin: Buffer.from('{}'),
  workBytes: 1_000,
  programs: { node: '/opt/node/bin/node' },
  proxySocket: null,
};
let parts: Part[];
let words: string[];
beforeEach(() => {
  parts = confinement(run, host);
  words = parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part.bytes).toString()));
});
/** Position of a run of arguments; -1 if it does not occur. */
const find = (...wanted: readonly string[]) =>
  words.findIndex((_, at) => wanted.every((word, offset) => words[at + offset] === word));

describe('confinement', () => {
  it('shares no namespace, keeps no capability and no environment', () => {
    for (const option of ['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--as-pid-1'])
      expect(words).toContain(option);
    expect(find('--cap-drop', 'ALL')).not.toBe(-1);
    expect(words).not.toContain('--share-net');
  });

  it('passes granted variables, but never another PATH', () => {
    expect(find('--setenv', 'GIVEN', 'value')).not.toBe(-1);
    expect(words).not.toContain('/evil');
    expect(words.filter((word) => word === '--setenv').length).toBe(5);
  });

  it('shows programs from outside the system folders in a folder of their own', () => {
    expect(find('--ro-bind', '/opt/node/bin/node', '/run/programs/node')).not.toBe(-1);
  });

  it('shows the certificates to runs with a proxy', () => {
    const given = confinement({ ...run, proxySocket: '/tmp/p/socket' }, host);
    const at = given.indexOf('/etc/ssl/certs');
    expect(given.slice(at - 1, at + 2)).toEqual(['--ro-bind-try', '/etc/ssl/certs', '/etc/ssl/certs']);
  });

  it('binds nothing writable from outside', () => {
    expect(words.filter((word) => word.startsWith('--bind'))).toEqual([]);
    expect(words.filter((word) => word === '--dev-bind').length).toBe(5);
  });

  it('reproduces system links as links and folders as folders, and skips missing ones', () => {
    expect(find('--symlink', 'usr/bin', '/bin')).not.toBe(-1);
    expect(find('--ro-bind', '/lib', '/lib')).not.toBe(-1);
    expect(words).not.toContain('/lib64');
  });

  it('makes the root read-only at the end, and leaves one writable file system of fixed size', () => {
    expect(find('--size', '1000', '--tmpfs', '/tmp')).not.toBe(-1);
    expect(words.filter((word) => word === '--tmpfs').length).toBe(2);
    expect(find('--remount-ro', '/')).toBeGreaterThan(find('--file', 'in', '/tmp/work/in.txt'));
    expect(find('--remount-ro', '/dev')).not.toBe(-1);
  });

  it('mounts the proxy’s socket for runs with a proxy, still without the machine’s network', () => {
    const given = confinement(
      { ...run, env: { http_proxy: 'http://evil' }, proxySocket: '/tmp/p/socket' },
      host,
    );
    const at = given.indexOf('/tmp/p/socket');
    expect(given.slice(at - 1, at + 2)).toEqual(['--ro-bind', '/tmp/p/socket', '/run/proxy.sock']);
    expect(given).toContain('--unshare-all');
    expect(given).not.toContain('--share-net');
    expect(given).not.toContain('http://evil');
    expect(given[given.indexOf('https_proxy') + 1]).toBe('http://127.0.0.1:3128');
    expect(words.join(' ')).not.toMatch(/proxy|certs/i);
  });

  it('gives a server the folders, the network and the folder to start in that it asks for', () => {
    const given = confinement(
      {
        ...run,
        shared: { read: ['/srv/a'], write: ['/srv/b'] },
        machineNetwork: true,
        cwd: '/srv/b',
      },
      host,
    );
    const text = given
      .map((part) => (typeof part === 'string' ? part : Buffer.from(part.bytes).toString()))
      .join(' ');
    expect(text).toContain('--unshare-all --share-net');
    expect(text).toContain(' --ro-bind /srv/a /srv/a --bind /srv/b /srv/b --remount-ro / --chdir /srv/b');
    expect(text).toContain('--ro-bind-try /etc/resolv.conf /etc/resolv.conf');
    expect(text).toContain('/etc/ssl/certs');
    // Names come from the machine's name servers, and no file is there twice.
    expect(text).toContain('hosts: files dns\n /etc/nsswitch.conf');
    expect(text.split('/etc/nsswitch.conf')).toHaveLength(2);
    expect(words.join(' ')).not.toMatch(/resolv\.conf|files dns/);
    expect(find('--chdir', '/tmp/work')).not.toBe(-1);
  });

  it('covers what the machine has in /proc, and nothing that it has not', () => {
    const there = new Map(['/proc/cmdline', '/proc/irq'].map((path) => [path, null]));
    const given = confinement(run, { linkAt: (path) => there.get(path) });
    const text = given.filter((part) => typeof part === 'string').join(' ');
    expect(text).toContain('--ro-bind /dev/null /proc/cmdline');
    expect(text).toContain('--tmpfs /proc/irq --remount-ro /proc/irq');
    expect(text).not.toMatch(/kallsyms|\/proc\/bus/);
  });

  it('copies files in by their bytes, whatever their names', () => {
    const supplies = parts.filter((part): part is Exclude<Part, string> => typeof part !== 'string');
    expect(supplies.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
      expect.arrayContaining(['echo', 'in', '{}']),
    );
    expect(find('--perms', '0555', '--file', 'echo', '/skill/scripts/-x\ny.sh')).not.toBe(-1);
  });
});
