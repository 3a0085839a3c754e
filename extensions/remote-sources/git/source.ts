/**
 * Skills in a git repository.
 *
 * There is no working tree: `ls-tree` lists a commit, and only the blobs of skills are fetched and read by `cat-file`.
 * Nothing is checked out, so no hook, filter, attribute, link or submodule ever takes effect, and a sub-folder costs
 * only its own files. Each fetch uses a temporary repository, so a killed process leaves no broken state. Blobs that
 * are already in the store are not fetched again.
 */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { takeTurns } from '../../../src/base/timing.ts';
import type { FetchedSource, FetchOptions } from '../../../src/sources/fetched.ts';
import { CachedSource } from '../fetched/cached-source.ts';
import type { Contents, StoredFile } from '../fetched/contents.ts';
import { FetchError } from '../fetched/fetch-error.ts';
import { type IncomingContents, type Limits, tooManyBytes, tooManySkills } from '../fetched/incoming.ts';
import { findSkillFolders, type OfferedFile, selectFiles, toSubfolder } from '../fetched/select-files.ts';
import { readBlobs, readSizes } from './blobs.ts';
import { type Environment, type GitRun, git, gitText } from './program.ts';
import { askedRefs, parseRemote, type Remote, shownRemote } from './remote.ts';
import { type CommitSigners, checkCommit, signerKey } from './signature.ts';

export interface GitSourceOptions extends FetchOptions {
  /** `https://`, `ssh://`, `user@host:path`, `file://` or an absolute path. */
  readonly url: string;
  /** Branch, tag or commit. Default: the remote's HEAD. */
  readonly ref?: string;
  /** Sub-folder with the skills. */
  readonly folder?: string;
  /** Token for HTTPS, or `user:password`. */
  readonly token?: string;
  /** Only commits that one of these signed are used. Default: any. */
  readonly signers?: CommitSigners;
  /** Environment of the git program: PATH, HOME, agents, proxies. */
  readonly env: Environment;
}

/** A file of a commit. */
interface Blob extends OfferedFile {
  readonly oid: string;
}

/** Without tags, submodules, FETCH_HEAD and progress messages. */
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
/** Settings that make git fetch missing objects from a remote. */
const LAZY_FETCH_SETTINGS = [
  'extensions.partialClone',
  'remote.origin.promisor',
  'remote.origin.partialclonefilter',
];
const ADD_SUBMODULE = 'Add its repository as a source of its own: `skillgate sources add URL`.';
/** Most files of a commit, or of the sub-folder: the Linux repository has 90,000. */
const MAX_NAMES = 500_000;
/** Bytes that a repository may send in addition to its skills' files: commits, trees. */
const OVERHEAD = 64 * 2 ** 20;
/** Between two checks of the received size, ms. */
const SIZE_CHECK_MS = 200;

export function gitSource(options: GitSourceOptions): FetchedSource {
  const { url, ref, folder, token, signers, env } = options;
  let remote: Remote | null = null;
  let refusal: unknown;
  try {
    remote = parseRemote(url, token);
    askedRefs(ref);
    toSubfolder(folder);
  } catch (error) {
    refusal = error;
  }
  const origin = remote?.url ?? shownRemote(url);
  return new CachedSource(options, {
    kind: 'git',
    origin,
    // What was fetched without these signers does not count.
    key: [origin, ref ?? '', folder ?? '', ...(signers === undefined ? [] : [signerKey(signers)])],
    secrets: remote?.secrets ?? [token ?? ''],
    async fetch(incoming) {
      if (refusal !== undefined || remote === null) throw refusal;
      const repository = incoming.newStagingPath();
      mkdirSync(repository, { recursive: true });
      try {
        const run = { repository, remote, env, signal: incoming.signal };
        const commit = options.pinned ?? (await resolveCommit(run, ref));
        if (incoming.last?.resolved === commit) return null;
        return await fetchCommit(run, commit, toSubfolder(folder), incoming, signers);
      } finally {
        await rm(repository, { recursive: true, force: true });
      }
    },
  });
}

/**
 * Which part of a path such as `feature/new-ui/skills` is a branch, tag or commit, and which a folder; the longest ref wins. Null
 * if the remote has none of them. Rejects as a fetch does.
 */
export async function splitRef(
  { url, token, env }: Pick<GitSourceOptions, 'url' | 'token' | 'env'>,
  path: string,
): Promise<{ readonly ref: string; readonly folder?: string } | null> {
  const parts = path.split('/');
  const repository = mkdtempSync(join(tmpdir(), 'skillgate-ref-'));
  try {
    const signal = AbortSignal.timeout(LIST_REFS_MS);
    const run = { repository, remote: parseRemote(url, token), env, signal };
    const refs = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    const names = refs.flatMap((ref) => [`refs/heads/${ref}`, `refs/tags/${ref}`]);
    const text = await gitText(run, ['ls-remote', '--quiet', '--', run.remote.url, ...names]);
    const found = new Set(text.match(/(?<=\trefs\/(?:heads|tags)\/).+$/gm));
    const length = refs.findLastIndex((ref) => found.has(ref)) + 1 || (COMMIT.test(refs[0]!) ? 1 : 0);
    const folder = parts.slice(length).join('/');
    return length === 0 ? null : { ref: refs[length - 1]!, ...(folder && { folder }) };
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
}

/** A commit's whole id: no remote lists it. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Longest wait for a remote's refs, ms. */
const LIST_REFS_MS = 30_000;

async function resolveCommit(run: GitRun, ref: string | undefined): Promise<string> {
  const asked = askedRefs(ref);
  if ('commit' in asked) return asked.commit;
  const text = await gitText(run, ['ls-remote', '--quiet', '--', run.remote.url, ...asked.names]);
  const oids = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, oid = '', name = ''] = /^([0-9a-f]{40,64})\t(.+)$/.exec(line) ?? [];
    oids.set(name, oid);
  }
  for (const name of asked.names) {
    const oid = oids.get(name);
    if (oid !== undefined) return oid;
  }
  const what = ref === undefined ? 'no commit yet' : `no branch or tag ${ref}`;
  throw new FetchError(`The repository has ${what}: push one, or give another --ref and --folder.`);
}

async function fetchCommit(
  run: GitRun,
  commit: string,
  folder: string,
  incoming: IncomingContents,
  signers: CommitSigners | undefined,
): Promise<Contents> {
  await withSizeLimit(run, incoming, (own) => receiveCommit(own, commit));
  // The commit's id covers all of its files, so nothing can be exchanged after this.
  if (signers !== undefined) await checkCommit(run, commit, signers);
  const blobs = await listBlobs(run, commit, folder);
  for (const { path } of blobs.filter(({ type }) => type === 'submodule'))
    incoming.report(
      'entry-submodule',
      path,
      'A submodule was left out, with the skills in it.',
      ADD_SUBMODULE,
    );
  const taken = await selectFiles(blobs, (...found) => incoming.report(...found));
  const skills = findSkillFolders(taken.map(({ path }) => path)).size;
  if (skills > incoming.limits.maxSkills) throw tooManySkills(skills, incoming.limits);

  const stored = new Map<string, StoredFile>();
  for (const file of incoming.last?.files.values() ?? []) stored.set(storeKey(file.from ?? '', file), file);
  const wanted = new Map<string, Blob>();
  for (const blob of taken) {
    if (!stored.has(storeKey(blob.oid, blob))) wanted.set(storeKey(blob.oid, blob), blob);
  }
  await withSizeLimit(run, incoming, (own) => receiveBlobs(own, commit, uniqueOids(wanted)));
  const sizes = await readSizes(run, uniqueOids(wanted));
  let bytes = 0;
  for (const blob of taken) {
    bytes += stored.get(storeKey(blob.oid, blob))?.size ?? sizes.get(blob.oid) ?? 0;
  }
  if (bytes > incoming.limits.maxBytes) throw tooManyBytes(incoming.limits);

  const inOrder = [...wanted];
  let next = 0;
  await readBlobs(
    run,
    inOrder.map(([, { oid }]) => oid),
    async (oid, bytes) => {
      const [key, { executable }] = inOrder[next]!;
      stored.set(key, await incoming.store(bytes, { executable, from: oid }));
      next += 1;
    },
  );
  for (const blob of taken) incoming.add(blob.path, stored.get(storeKey(blob.oid, blob))!);
  return incoming.finish({}, commit);
}

const uniqueOids = (blobs: ReadonlyMap<string, Blob>) => [
  ...new Set([...blobs.values()].map(({ oid }) => oid)),
];

/** The store keeps one content in two modes as two objects. */
const storeKey = (oid: string, { executable }: { executable: boolean }) => `${oid}${executable ? ' x' : ''}`;

/** Fetches the commit and its trees, without blobs if the remote supports that. */
async function receiveCommit(run: GitRun, commit: string): Promise<void> {
  const format = commit.length === 64 ? ['--object-format=sha256'] : [];
  await gitText(run, ['init', '--quiet', '--bare', '--template=', ...format]);
  await gitText(run, ['remote', 'add', '--', 'origin', run.remote.url]);
  try {
    await gitText(run, [...FETCH, '--depth=1', '--filter=blob:none', '--', 'origin', commit]);
  } catch (error) {
    run.signal.throwIfAborted();
    // Some remotes give commits only by ref: fetch all refs, and the commit is among them if it is reachable.
    await gitText(run, [...FETCH, '--filter=blob:none', '--', 'origin', '+refs/*:refs/all/*']).catch(() => {
      throw error;
    });
    await gitText(run, ['rev-parse', '--quiet', '--verify', `${commit}^{commit}`]).catch((cause: unknown) => {
      const message = `The repository has no commit ${commit}: give another ref.`;
      throw new FetchError(message, { cause });
    });
  }
  // Reading a missing blob must fail from here on, instead of fetching blobs one at a time.
  for (const name of LAZY_FETCH_SETTINGS) {
    await gitText(run, ['config', '--unset-all', name]).catch(() => {});
  }
}

/** Fetches the blobs that did not come with the commit, in one request. */
async function receiveBlobs(run: GitRun, commit: string, oids: readonly string[]): Promise<void> {
  const present = await readSizes(run, oids);
  const missing = oids.filter((oid) => !present.has(oid));
  if (missing.length === 0) return;
  try {
    await gitText(run, ['-c', 'fetch.negotiationAlgorithm=noop', ...FETCH, '--stdin', 'origin'], {
      input: `${missing.join('\n')}\n`,
    });
  } catch {
    run.signal.throwIfAborted();
    // Some remotes do not give blobs by id: fetch the whole commit.
    await gitText(run, [...FETCH, '--refetch', '--depth=1', '--', 'origin', commit]);
  }
}

/** By the first digits of the mode. */
const TYPES: Readonly<Record<string, OfferedFile['type']>> = { 100: 'file', 120: 'link', 160: 'submodule' };

async function listBlobs(run: GitRun, commit: string, folder: string): Promise<Blob[]> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const below = prefix === '' ? [] : ['--', prefix];
  const blobs: Blob[] = [];
  const decoder = new StringDecoder('utf8');
  const yieldTurn = takeTurns();
  let rest = '';
  for await (const chunk of git(run, ['ls-tree', '-r', '-z', '--full-tree', commit, ...below])) {
    const entries = (rest + decoder.write(chunk)).split('\0');
    rest = entries.pop() ?? '';
    for (const entry of entries) {
      const [, mode = '', oid = '', path = ''] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      if (oid === '' || !path.startsWith(prefix)) continue;
      const type = TYPES[mode.slice(0, 3)] ?? 'other';
      blobs.push({ path: path.slice(prefix.length), type, executable: mode === '100755', size: null, oid });
    }
    if (blobs.length > MAX_NAMES) throw tooManyNames(folder);
    await yieldTurn();
  }
  if (blobs.length === 0 && folder !== '') {
    throw new FetchError(`The commit has no folder ${folder}: give another.`);
  }
  return blobs;
}

function tooManyNames(folder: string): FetchError {
  const what = folder === '' ? 'The commit' : `The folder ${folder}`;
  return new FetchError(`${what} has more than ${MAX_NAMES} files: give a smaller sub-folder.`);
}

/** Aborts the work if more comes than the source may have: git itself has no limit. */
async function withSizeLimit(
  run: GitRun,
  { limits, signal }: IncomingContents,
  work: (run: GitRun) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const timer = setInterval(() => {
    const received = bytesIn(join(run.repository, 'objects', 'pack'));
    if (received > limits.maxBytes + OVERHEAD) stop.abort(receivedTooMuch(received, limits));
  }, SIZE_CHECK_MS);
  try {
    await work({ ...run, signal: AbortSignal.any([signal, stop.signal]) });
  } finally {
    clearInterval(timer);
  }
}

function receivedTooMuch(received: number, { maxBytes }: Limits): FetchError {
  const message = `The repository sent ${received} bytes, and a source may have ${maxBytes}: ask its host for partial clones.`;
  return new FetchError(message);
}

function bytesIn(folder: string): number {
  try {
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    // Not created yet, or a file was just renamed: the next check sees it.
    return 0;
  }
}
