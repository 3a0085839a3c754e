/** Where a team's skills come from, each of one skill in some edition, each able to die and to come back. */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { programOf } from '../../peers/program-of.ts';
import { site } from '../../src/sources/well-known/site.ts';
import type { Workplace } from '../command.ts';

type Edition = 'first' | 'second';

export interface Origin {
  /** As it stands in the configuration. */
  readonly config: object;
  down(): Promise<void> | void;
  /** It is there again, and has its skill in the second edition. */
  up(): Promise<void> | void;
  close?(): Promise<void> | void;
}

export interface Skill {
  readonly name: string;
  readonly about: string;
  /** Tools of another server that it names. */
  readonly tools?: string;
}

/** A skill of two files that both name its edition. */
function filesOf({ name, about, tools }: Skill, edition: Edition): Record<string, string> {
  const metadata = tools === undefined ? '' : `metadata:\n  skillgate.tools: ${tools}\n`;
  return {
    [`${name}/SKILL.md`]: `---
name: ${name}
description: ${about} The ${edition} edition.
${metadata}---
# ${name}

This is the ${edition} edition. Read [the notes](references/notes.md).
`,
    [`${name}/references/notes.md`]: `# Notes\n\nNotes of the ${edition} edition.\n`,
  };
}

/** A bare repository; renaming it makes it unavailable. */
export function repository(place: Workplace, source: string, skill: Skill): Origin {
  const [bare, work] = [join(place.folder, `${source}.git`), join(place.folder, `${source}-work`)];
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', [...who, ...args], {
      env: { ...place.environment, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const commit = (edition: Edition) => {
    for (const [path, text] of Object.entries(filesOf(skill, edition)))
      place.write(`${source}-work/${path}`, text);
    git('-C', work, 'add', '--all');
    git('-C', work, 'commit', '--quiet', '--message=.');
    git('-C', work, 'push', '--quiet', bare, 'HEAD:refs/heads/main');
  };
  git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  git('init', '--quiet', '--initial-branch=main', work);
  commit('first');
  return {
    config: { kind: 'git', name: source, url: `./${source}.git` },
    down: () => renameSync(bare, `${bare}.gone`),
    up() {
      renameSync(`${bare}.gone`, bare);
      commit('second');
    },
  };
}

/** A site with a well-known index; closing its port makes it unavailable. */
export async function website(source: string, skill: Skill): Promise<Origin> {
  const pages = await site();
  pages.hold(filesOf(skill, 'first'));
  const server = await listening((request, response) => pages.server.answer(request, response));
  return {
    config: { kind: 'well-known', name: source, url: server.origin, allowPrivate: true },
    down: () => server.stop(),
    async up() {
      pages.hold(filesOf(skill, 'second'));
      await server.start();
    },
    close: () => server.stop(),
  };
}

async function listening(answer: RequestListener) {
  let port = 0;
  let server = createServer(answer);
  const start = async () => {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  };
  await start();
  return {
    origin: `http://127.0.0.1:${port}`,
    start,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A server on the SDK's own catalog, over HTTP, in a process that is killed. */
export async function catalogPeer(place: Workplace, source: string, skill: Skill): Promise<Origin> {
  const start = async (port: string, edition: Edition) => {
    const file = place.write(`${source}.json`, JSON.stringify(filesOf(skill, edition)));
    const { command, args, cwd } = programOf(
      join(import.meta.dirname, '../../peers/web-program.ts'),
      port,
      file,
    );
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const printed = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', resolve);
      child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it listened.`)));
    });
    const kill = async () => {
      child.kill('SIGKILL');
      await gone;
    };
    return { port: printed.trim(), kill };
  };
  let running = await start('0', 'first');
  const { port } = running;
  return {
    config: {
      kind: 'mcp',
      name: source,
      url: `http://127.0.0.1:${port}/mcp`,
      allowPrivate: true,
      // What was read ahead is there while the server is away.
      fetch: 'all',
    },
    down: () => running.kill(),
    async up() {
      running = await start(port, 'second');
    },
    close: () => running.kill(),
  };
}

/** A server on the older draft alone, on pipes: skillgate starts it, and cannot while a file says so. */
export function draftPeer(place: Workplace, source: string, skill: Skill): Origin {
  const [pid, away] = [join(place.folder, `${source}.pid`), join(place.folder, `${source}.away`)];
  const hold = (edition: Edition) => place.write(`${source}.json`, JSON.stringify(filesOf(skill, edition)));
  const { command, args, cwd } = programOf(
    join(import.meta.dirname, '../../peers/program.ts'),
    'draft-a',
    hold('first'),
  );
  const script = 'echo $$ > "$1"; test ! -e "$2" || exit 1; shift 2; exec "$@"';
  return {
    config: {
      kind: 'mcp',
      name: source,
      command: 'sh',
      args: ['-c', script, 'sh', pid, away, command, ...args],
      cwd,
    },
    down() {
      place.write(`${source}.away`, '');
      if (existsSync(pid)) kill(Number(readFileSync(pid, 'utf8')));
    },
    up() {
      hold('second');
      rmSync(away);
    },
  };
}

/** It may have ended by itself. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
