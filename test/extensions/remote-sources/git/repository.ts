/** Repositories for tests, made by the git program and isolated from the user's settings. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitSource } from '../../../../extensions/remote-sources/git/source.ts';
import type { OriginDouble } from '../../../contracts/fetched-source.ts';
import { add, plant, type Tree } from '../../../src/sources/scan/tree.ts';

export const GIT_ENV = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

export interface Repository {
  /** The bare one, absolute. */
  readonly path: string;
  /** Commits exactly these files and pushes them; the new commit's id. */
  commit(tree: Tree, branch?: string): string;
  git(...args: string[]): string;
  down(): void;
  up(): void;
}

/** `filters` false makes a remote that sends all files with a commit and none by id. */
export function repository({ filters = true, root = plant({}) } = {}): Repository {
  const path = join(root, 'team.git');
  const work = join(root, 'work');
  const run = (cwd: string, args: readonly string[]) =>
    execFileSync('git', args, {
      cwd,
      env: GIT_ENV,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  run(root, ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  run(path, ['config', 'uploadpack.allowFilter', String(filters)]);
  mkdirSync(work);
  run(work, ['init', '--quiet', '--initial-branch=main']);
  return {
    path,
    git: (...args) => run(path, args),
    commit(tree, branch = 'main') {
      for (const name of run(work, ['ls-files', '-z']).split('\0')) {
        if (name !== '') rmSync(join(work, name), { force: true });
      }
      add(work, tree);
      run(work, ['add', '--all', '--force']);
      run(work, ['commit', '--quiet', '--allow-empty', '--message=.']);
      run(work, ['push', '--quiet', '--force', path, `HEAD:refs/heads/${branch}`]);
      return run(work, ['rev-parse', 'HEAD']);
    },
    down: () => renameSync(path, `${path}.gone`),
    up: () => renameSync(`${path}.gone`, path),
  };
}

/**
 * A stand-in for ssh: runs what the remote is asked to, on this machine; while `stalls` there is a file of that name
 * next to it, it waits for ever instead. It notes its process in `pids`, and whatever it is called with in `calls`.
 */
export function fakeSsh(): {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
} {
  const script = [
    '#!/bin/sh',
    'here=$(dirname "$0")',
    'echo "$@" >> "$here/calls"',
    'echo $$ >> "$here/pids"',
    'if [ -e "$here/stalls" ]; then exec sleep 600; fi',
    'for last; do :; done',
    'eval "exec $last"',
  ].join('\n');
  const folder = plant({ 'ssh.sh': script });
  chmodSync(join(folder, 'ssh.sh'), 0o755);
  return { folder, env: { ...GIT_ENV, GIT_SSH_COMMAND: join(folder, 'ssh.sh'), GIT_SSH_VARIANT: 'ssh' } };
}

/** A repository as the origin of the contract suite. */
export function double(origin: Repository, more: Partial<OriginDouble>): OriginDouble {
  let isDown = false;
  return {
    kind: 'git',
    secret: null,
    hold: async (files) => void origin.commit(files),
    down: async () => {
      isDown = true;
      origin.down();
    },
    up: async () => {
      if (isDown) origin.up();
      isDown = false;
    },
    source: (options) => gitSource({ ...options, url: origin.path, env: GIT_ENV }),
    close: async () => {},
    ...more,
  };
}
