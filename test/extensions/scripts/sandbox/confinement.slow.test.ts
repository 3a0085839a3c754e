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
  it('shows the certificates to runs with a proxy', () => {
    const given = confinement({ ...run, proxySocket: '/tmp/p/socket' }, host);
    const at = given.indexOf('/etc/ssl/certs');
    expect(given.slice(at - 1, at + 2)).toEqual(['--ro-bind-try', '/etc/ssl/certs', '/etc/ssl/certs']);
  });

  it('shows folders of the machine where they are, read-only', () => {
    const given = confinement({ ...run, folders: ['/srv/a'] }, host);
    expect(given.join(' ')).toContain(' --ro-bind /srv/a /srv/a --remount-ro / --chdir /tmp/work');
  });

  it('copies files in by their bytes, whatever their names', () => {
    const supplies = parts.filter((part): part is Exclude<Part, string> => typeof part !== 'string');
    expect(supplies.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
      expect.arrayContaining(['echo', 'in', '{}']),
    );
    expect(find('--perms', '0555', '--file', 'echo', '/skill/scripts/-x\ny.sh')).not.toBe(-1);
  });
});
