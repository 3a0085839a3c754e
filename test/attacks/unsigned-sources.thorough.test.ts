/** A source is exchanged for one that nobody trusted signed: the configuration's `signedBy` refuses it, over the command line. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshWorkplace, skillFile } from '../acceptance/command.ts';

/** Of minisign 0.11, with nothing that it signed in this test. */
const KEY = 'RWTlGkoeONf72ktsZ1Kg6mcLkXPKboGaI+QIdh3JB8GYDaxVR97yJYr4';

const place = freshWorkplace();

const at = (path: string) => join(place.folder, path);
const configure = (...sources: object[]) => place.write('skillgate.config.json', JSON.stringify({ sources }));

it('an archive without a signature is not used, and the message says where it belongs', async () => {
  place.write('packed/demo/SKILL.md', skillFile('demo', 'show'));
  execFileSync('tar', ['-czf', at('skills.tar.gz'), '-C', at('packed'), 'demo']);
  configure({ kind: 'archive', name: 'packed', path: 'skills.tar.gz', signedBy: { minisign: KEY } });
  const refreshed = await place.run('sources', 'refresh');
  expect(refreshed.code).not.toBe(0);
  expect(refreshed.stderr + refreshed.stdout).toContain(at('skills.tar.gz.minisig'));
  expect((await place.run('list')).stdout).not.toContain('demo');
});

it('a repository with a commit that is not signed by a key of the file is not used', async () => {
  place.write('work/demo/SKILL.md', skillFile('demo', 'show'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      cwd: at('work'),
      env: { PATH: process.env.PATH, HOME: place.home },
      stdio: 'pipe',
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--no-gpg-sign', '--message=unsigned');
  // Relative to the configuration's file.
  writeFileSync(
    at('signers'),
    'a@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAbcdefghijklmnopqrstuvwxyz01234567890ABCDEF\n',
  );
  configure({ kind: 'git', name: 'team', url: at('work'), signedBy: { allowedSigners: 'signers' } });
  const refreshed = await place.run('sources', 'refresh');
  expect(refreshed.code).not.toBe(0);
  expect(refreshed.stderr + refreshed.stdout).toContain('is not used: it has no signature');
  expect((await place.run('list')).stdout).not.toContain('demo');
  // The same source without the requirement: what was refused is not what is wrong with it.
  configure({ kind: 'git', name: 'team', url: at('work') });
  expect((await place.run('sources', 'refresh')).code).toBe(0);
  expect((await place.run('list')).stdout).toContain('demo');
});

it('what is no public key is refused with the configuration', async () => {
  configure({ kind: 'archive', name: 'packed', path: 'skills.tar.gz', signedBy: { minisign: 'RWQ' } });
  const { code, stdout, stderr } = await place.run('config', 'check');
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('takes the line of a .pub file that begins with RW');
});
