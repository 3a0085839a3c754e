/**
 * Skills in a git repository.
 *
 * There is no working tree: what a commit holds is listed by `ls-tree`, and the blobs of skills alone are asked for
 * and read by `cat-file`. Nothing is checked out, so no hook, filter, attribute, link or submodule of a repository
 * ever comes to act, and a sub-folder costs its own files only. Each change is fetched into a repository of its own
 * that is thrown away: it has no state that a killed process could leave broken, and blobs that are in the store
 * already are not asked for again.
 */

import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FetchError } from '../errors.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import { fetchedSource } from './fetching.ts';
import { readBlobs, sizesOf } from './git/blobs.ts';
import { type Environment, type GitRun, gitText } from './git/program.ts';
import { askedRefs, type Remote, remoteOf, shownRemote } from './git/remote.ts';
import { admit, type Offer, skillFoldersOf } from './store/admit.ts';
import type { Contents, StoredFile } from './store/contents.ts';
import { type Intake, tooManyBytes, tooManySkills } from './store/intake.ts';
import { folderOf } from './store/paths.ts';

export interface GitSourceOptions extends FetchOptions {
  /** `https://`, `ssh://`, `user@host:path`, `file://` or an absolute path. */
  readonly url: string;
  /** Branch, tag or commit; else the remote's HEAD. */
  readonly ref?: string;
  /** Sub-folder with the skills. */
  readonly folder?: string;
  /** Token for HTTPS, or `user:password`. */
  readonly token?: string;
  /** What the git program gets besides: PATH, HOME, agents, proxies. */
  readonly env: Environment;
}

/** A file of a commit. */
interface Blob extends Offer {
  readonly oid: string;
}

/** Never tags, submodules or a record of what was fetched; failures are told, progress is not. */
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
/** Settings by which a repository counts on a remote for what it lacks. */
const PROMISES = ['extensions.partialClone', 'remote.origin.promisor', 'remote.origin.partialclonefilter'];
/** Bytes of a listing of one commit. */
const MAX_LISTING = 256 * 2 ** 20;
/** What a repository may send beside its skills' files, bytes: commits, lists of folders. */
const OVERHEAD = 64 * 2 ** 20;
/** Between two looks at how much has come, ms. */
const WATCH_MS = 200;

export function gitSource(options: GitSourceOptions): FetchedSource {
  const { url, ref, folder, token, env } = options;
  let remote: Remote | null = null;
  let refusal: unknown;
  try {
    remote = remoteOf(url, token);
    askedRefs(ref);
    folderOf(folder);
  } catch (error) {
    refusal = error;
  }
  const origin = remote?.url ?? shownRemote(url);
  return fetchedSource(options, {
    kind: 'git',
    origin,
    key: [origin, ref ?? '', folder ?? ''],
    secrets: remote?.secrets ?? [token ?? ''],
    async fetch(intake) {
      if (refusal !== undefined || remote === null) throw refusal;
      const run = { repository: null, remote, env, signal: intake.signal };
      const commit = options.pinned ?? (await commitOf(run, ref));
      if (intake.last?.resolved === commit) return null;
      const repository = intake.newAside();
      try {
        return await fetchCommit({ ...run, repository }, commit, folderOf(folder), intake);
      } finally {
        rmSync(repository, { recursive: true, force: true });
      }
    },
  });
}

async function commitOf(run: GitRun, ref: string | undefined): Promise<string> {
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
  throw new FetchError('FETCH_INVALID', `The repository has ${what}: push one, or name another ref.`);
}

/** `run.repository` is where a repository may be made. */
async function fetchCommit(
  run: GitRun & { repository: string },
  commit: string,
  folder: string,
  intake: Intake,
): Promise<Contents> {
  await within(run, intake, (own) => receiveCommit(own, commit));
  const blobs = await blobsOf(run, commit, folder);
  const { taken, left } = admit(blobs);
  for (const { id, path, message, mend } of left) intake.report(id, path, message, mend);
  const skills = skillFoldersOf(taken.map(({ path }) => path)).size;
  if (skills > intake.limits.maxSkills) throw tooManySkills(skills, intake.limits);

  const stored = new Map<string, StoredFile>();
  for (const file of intake.last?.files.values() ?? []) stored.set(nameOf(file.from ?? '', file), file);
  const wanted = new Map<string, Blob>();
  for (const blob of taken) {
    if (!stored.has(nameOf(blob.oid, blob))) wanted.set(nameOf(blob.oid, blob), blob);
  }
  await within(run, intake, (own) => receiveBlobs(own, commit, oidsOf(wanted)));
  const sizes = await sizesOf(run, oidsOf(wanted));
  let bytes = 0;
  for (const blob of taken) {
    bytes += stored.get(nameOf(blob.oid, blob))?.size ?? sizes.get(blob.oid) ?? 0;
  }
  if (bytes > intake.limits.maxBytes) throw tooManyBytes(intake.limits);

  const inOrder = [...wanted];
  let next = 0;
  await readBlobs(
    run,
    inOrder.map(([, { oid }]) => oid),
    async (oid, pieces) => {
      const [name, { executable }] = inOrder[next]!;
      stored.set(name, await intake.store(pieces, { executable, from: oid }));
      next += 1;
    },
  );
  for (const blob of taken) intake.add(blob.path, stored.get(nameOf(blob.oid, blob))!);
  return intake.finish({}, commit);
}

const oidsOf = (blobs: ReadonlyMap<string, Blob>) => [...new Set([...blobs.values()].map(({ oid }) => oid))];

/** The store keeps one content in two modes as two files. */
const nameOf = (oid: string, { executable }: { executable: boolean }) => `${oid}${executable ? ' x' : ''}`;

/** The commit and its folders, without files where the remote can leave them out. */
async function receiveCommit(run: GitRun & { repository: string }, commit: string): Promise<void> {
  mkdirSync(run.repository, { recursive: true });
  const format = commit.length === 64 ? ['--object-format=sha256'] : [];
  await gitText({ ...run, repository: null }, [
    ...['init', '--quiet', '--bare', '--template=', ...format, '--', run.repository],
  ]);
  await gitText(run, ['remote', 'add', '--', 'origin', run.remote.url]);
  try {
    await gitText(run, [...FETCH, '--depth=1', '--filter=blob:none', '--', 'origin', commit]);
  } catch (error) {
    run.signal.throwIfAborted();
    // A remote may give commits by name only; whatever is not reachable by one, it does not give at all.
    await gitText(run, [...FETCH, '--filter=blob:none', '--', 'origin', '+refs/*:refs/all/*']).catch(() => {
      throw error;
    });
  }
  // From here on a missing file is missing: reading must not fetch one file at a time.
  for (const name of PROMISES) {
    await gitText(run, ['config', '--unset-all', name]).catch(() => {});
  }
}

/** The files that did not come with the commit, all at once. */
async function receiveBlobs(run: GitRun, commit: string, oids: readonly string[]): Promise<void> {
  const there = await sizesOf(run, oids);
  const missing = oids.filter((oid) => !there.has(oid));
  if (missing.length === 0) return;
  try {
    await gitText(run, ['-c', 'fetch.negotiationAlgorithm=noop', ...FETCH, '--stdin', 'origin'], {
      input: `${missing.join('\n')}\n`,
    });
  } catch {
    run.signal.throwIfAborted();
    // A remote that gives no files by their id gives them with the commit.
    await gitText(run, [...FETCH, '--refetch', '--depth=1', '--', 'origin', commit]);
  }
}

async function blobsOf(run: GitRun, commit: string, folder: string): Promise<Blob[]> {
  const text = await gitText(run, ['ls-tree', '-r', '-z', '--full-tree', commit], { maxBytes: MAX_LISTING });
  const prefix = folder === '' ? '' : `${folder}/`;
  const blobs: Blob[] = [];
  for (const entry of text.split('\0')) {
    const [, mode = '', oid = '', path = ''] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (oid === '' || !path.startsWith(prefix)) continue;
    const type = mode.startsWith('100') ? 'file' : mode === '120000' ? 'link' : 'other';
    blobs.push({ path: path.slice(prefix.length), type, executable: mode === '100755', size: null, oid });
  }
  if (blobs.length === 0 && folder !== '') {
    throw new FetchError('FETCH_INVALID', `The commit has no folder ${folder}: name another.`);
  }
  return blobs;
}

/** Ends the work where more comes than the source may hold: git itself takes whatever is sent. */
async function within(
  run: GitRun & { repository: string },
  { limits, signal }: Intake,
  work: (run: GitRun & { repository: string }) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const timer = setInterval(() => {
    const received = bytesIn(join(run.repository, 'objects', 'pack'));
    if (received > limits.maxBytes + OVERHEAD) stop.abort(tooManyBytes(limits));
  }, WATCH_MS);
  try {
    signal.throwIfAborted();
    await work({ ...run, signal: stop.signal });
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', abort);
  }
}

function bytesIn(folder: string): number {
  try {
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    // Not made yet, or a file was renamed just now: the next look tells.
    return 0;
  }
}
