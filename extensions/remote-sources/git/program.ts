/**
 * Runs the git program so that a repository cannot make it do more than fetch: no shell, hooks, filters or prompts,
 * and only allowed transports. On abort it ends with all its child processes.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { systemCode } from '../../../src/base/errors.ts';
import { FetchError } from '../fetched/fetch-error.ts';
import type { Remote } from './remote.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of every command: they override what user or system configuration may have enabled. */
const SETTINGS = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.symlinks=false', 'core.protectNTFS=true'],
  ...['gc.auto=0', 'maintenance.auto=false', 'fetch.writeCommitGraph=false', 'fetch.recurseSubmodules=false'],
  ...['credential.interactive=false', 'transfer.bundleURI=false', 'advice.detachedHead=false'],
  // Received objects stay one pack, whose size can be checked.
  'fetch.unpackLimit=1',
  // Larger blobs are streamed to disk rather than held in memory.
  'core.bigFileThreshold=16m',
];
/** Variables that point git to another repository, change how it runs, or make it write traces. */
const DROPPED =
  /^(?:GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|COMMON_DIR|CEILING_DIRECTORIES|TEMPLATE_DIR|EXTERNAL_DIFF|TRACE\w*|CURL_VERBOSE|PROTOCOL\w*|PROXY_COMMAND|EXEC_PATH)|SSH_ASKPASS\w*|LD_PRELOAD)$/;
/** Longest reason of a failure, characters. */
const MAX_REASON = 300;
/** Standard error that is kept, characters. */
const MAX_STDERR = 16_384;

export interface GitRun {
  /**
   * The temporary repository, or the empty folder that becomes it. Git also works there: a `.git/config` of the folder in
   * which skillgate runs could name programs, and Windows would start a `git.exe` of that folder.
   */
  readonly repository: string;
  readonly remote: Remote;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Standard output in chunks. Rejects with git's own reason if it fails, or with the signal's. */
export async function* git(run: GitRun, args: readonly string[], input = ''): AsyncGenerator<Buffer> {
  run.signal.throwIfAborted();
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const child = spawn('git', [...settings, '--git-dir', run.repository, ...args], {
    cwd: run.repository,
    env: gitEnvironment(run),
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group: git's transports are processes too and must end with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const ended = waitForEnd(child);
  ended.catch(() => {});
  const stop = () => kill(child);
  run.signal.addEventListener('abort', stop, { once: true });
  let done = false;
  try {
    // A child that ends early closes its stdin: that is no error here.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    for await (const chunk of child.stdout) {
      run.signal.throwIfAborted();
      yield chunk as Buffer;
    }
    await ended;
    done = true;
  } catch (error) {
    run.signal.throwIfAborted();
    throw error;
  } finally {
    run.signal.removeEventListener('abort', stop);
    if (!done) kill(child);
  }
}

/** All of standard output. Throws over `maxBytes`. */
export async function gitText(
  run: GitRun,
  args: readonly string[],
  { input = '', maxBytes = 2 ** 20 }: { input?: string; maxBytes?: number } = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of git(run, args, input)) {
    length += chunk.length;
    if (length > maxBytes) {
      const message = `git ${args[0]} gave more than ${maxBytes} bytes: use a smaller repository.`;
      throw new FetchError(message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function gitEnvironment({ remote, env }: GitRun): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !DROPPED.test(name));
  const own: Record<string, string | undefined> = {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_ALLOW_PROTOCOL: remote.protocols,
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
  };
  if (env.GIT_SSH_COMMAND !== undefined || env.GIT_SSH === undefined) {
    own.GIT_SSH_COMMAND = `${env.GIT_SSH_COMMAND ?? 'ssh'} -oBatchMode=yes`;
  }
  if (remote.authorization === null) return own;
  // In the environment, since every user of the machine can see arguments; and for this origin only.
  const count = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0;
  own.GIT_CONFIG_COUNT = String(count + 1);
  own[`GIT_CONFIG_KEY_${count}`] = `http.${new URL(remote.url).origin}/.extraHeader`;
  own[`GIT_CONFIG_VALUE_${count}`] = `Authorization: ${remote.authorization}`;
  return own;
}

function waitForEnd(child: Child): Promise<void> {
  let stderr = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const isMissing = systemCode(cause) === 'ENOENT';
      const message = isMissing
        ? 'The git program was not found: install git 2.31 or later.'
        : `The git program cannot be started: ${cause.message}.`;
      reject(new FetchError(message, { cause }));
    });
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new FetchError(`git: ${failureText(stderr, code)}`));
    });
  });
}

/** The reason in git's standard error: its own lines and those of the remote. */
function failureText(stderr: string, code: number | null): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/[\0-\x1f\x7f]/g, ' ').trim())
    // The user's git settings may put credentials into the URL.
    .map((line) => line.replaceAll(/(https?:\/\/)[^/\s'"]*@/g, '$1***@'))
    .filter((line) => /^(?:fatal|error|remote|ssh|.*denied|.*refused)/i.test(line));
  const reasons = lines.slice(0, 3).map((line) => line.replace(/^(?:fatal|error|remote): +|\.$/gi, ''));
  const text = reasons.join('; ') || `it ended with ${code === null ? 'a signal' : `code ${code}`}`;
  return `${text.slice(0, MAX_REASON).replace(/\.$/, '')}. Check URL, ref and credentials.`;
}

function kill(child: Child): void {
  try {
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has already ended.
  }
}
