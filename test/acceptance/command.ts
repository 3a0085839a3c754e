/** Runs the built command line, with its own home and cache. */

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { resident } from './resident.ts';

export const root = resolve(import.meta.dirname, '../..');
export const program = join(root, 'dist', 'skillgate.cjs');
export const examples = join(root, 'examples', 'skills');

if (!existsSync(program))
  throw new Error('dist/ is missing: acceptance tests drive the built program, run `npm run build`.');

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A temporary folder for a test; `environment` keeps every effect of the program inside it. */
export function workplace() {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(home);
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CACHE_HOME: join(folder, 'cache'),
    NO_COLOR: '1',
    // What a test writes into its folder is its own; hostile-project.test.ts takes this away.
    SKILLGATE_TRUST_PROJECT: '1',
  };
  return {
    folder,
    home,
    environment,
    /** Writes a file below the folder and returns its path. */
    write(path: string, content: string | Uint8Array): string {
      const absolute = join(folder, path);
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, content);
      return absolute;
    },
    /** In a process that runs many commands: for what a command prints and writes, and its exit code. */
    run: (...args: string[]) => resident(program, { args, env: environment, cwd: folder }),
    runIn: (subfolder: string, ...args: string[]) =>
      resident(program, { args, env: environment, cwd: join(folder, subfolder) }),
    runWith: (variables: Readonly<Record<string, string>>, ...args: string[]) =>
      resident(program, { args, env: { ...environment, ...variables }, cwd: folder }),
    /** How a client starts a server over stdio. */
    server: (...args: string[]) => ({
      command: process.execPath,
      args: [program, 'serve', ...args],
      env: environment,
      cwd: folder,
      stderr: 'ignore' as const,
    }),
    /** In a process of its own. */
    start: (...args: string[]) => start(args, { env: environment, cwd: folder }),
    /** The same, ended if it hangs; `hung` says whether. */
    async runUntil(ms: number, ...args: string[]) {
      const { child, finished } = start(args, { env: environment, cwd: folder });
      const timer = setTimeout(() => child.kill('SIGKILL'), ms);
      const outcome = await finished;
      clearTimeout(timer);
      return { ...outcome, hung: outcome.signal === 'SIGKILL' };
    },
    startWith: (more: Record<string, string>, ...args: string[]) =>
      start(args, { env: { ...environment, ...more }, cwd: folder }),
    /** Another program than the built one, for example an older one. */
    startOther: (other: string, ...args: string[]) =>
      spawned(process.execPath, [other, ...args], { env: environment, cwd: folder }),
    /** Through a shell, for limits and pipes: `$SKILLGATE` is the program. */
    shell: (script: string, within: readonly string[] = []) => {
      const [command, ...args] = [...within, 'bash', '-c', script] as const;
      return spawned(command ?? 'bash', args, {
        env: { ...environment, SKILLGATE: `${process.execPath} ${program}` },
        cwd: folder,
      }).finished;
    },
    /** For programs outside of a test run, which removes all temporary folders at its end. */
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type Workplace = ReturnType<typeof workplace>;

/** Stands for a new workplace in each test of the file. */
export function freshWorkplace(): Workplace {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });
  return new Proxy({} as Workplace, { get: (_, name) => Reflect.get(place, name) });
}

let examplesIndex: Promise<string> | null = null;

/** Gives a server over the example skills their index, which is built once. Other skills are left to it. */
export async function prepareIndex(skills: string | null, index: string): Promise<void> {
  if (skills !== examples || existsSync(index)) return;
  examplesIndex ??= (async () => {
    const place = workplace();
    const { code, stderr } = await place.run('index', '--skills', examples, '--index', 'index');
    if (code !== 0) throw new Error(`The example skills were not indexed: ${stderr}`);
    return join(place.folder, 'index');
  })();
  cpSync(await examplesIndex, index, { recursive: true, preserveTimestamps: true });
}

/** A skill's file. */
export const skillFile = (name: string, description: string, body = `# ${name}\n\nDo ${description}.\n`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;

interface Options {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

const start = (args: readonly string[], options: Options) =>
  spawned(process.execPath, [program, ...args], options);

function spawned(command: string, args: readonly string[], options: Options) {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end();
  const finished = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, finished };
}
