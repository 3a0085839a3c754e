/**
 * Skills that a site publishes at `/.well-known/agent-skills/index.json`. The index has a digest for each artifact: only
 * changed artifacts are fetched, and one with another digest is not used. The older index at `/.well-known/skills/` lists
 * files without digests, so each refresh fetches them all.
 */

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../../../src/base/errors.ts';
import type { FetchedSource, FetchOptions } from '../../../src/sources/fetched.ts';
import { collectBytes, type Download, download } from '../../net/download.ts';
import { NetError, shownUrl } from '../../net/errors.ts';
import { type Guard, openGuard } from '../../net/guarded-fetch.ts';
import { unpack } from '../archive/unpack.ts';
import { CachedSource } from '../fetched/cached-source.ts';
import type { Contents, StoredFile } from '../fetched/contents.ts';
import { FetchError } from '../fetched/fetch-error.ts';
import { type IncomingContents, tooManyBytes, tooManySkills } from '../fetched/incoming.ts';
import { checkSignature, MAX_SIGNATURE_BYTES, minisignKey } from '../fetched/minisign.ts';
import { selectFiles } from '../fetched/select-files.ts';
import { listSecrets } from '../upstream/address.ts';
import { type Listed, type ListedArtifact, type ListedFiles, listIndexUrls, readIndex } from './discovery.ts';

export interface WellKnownSourceOptions extends FetchOptions {
  /** The site, or an index itself. */
  readonly url: string;
  /** Sent only to the site's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the site may have a private address and no TLS. Other origins that it refers to may not. */
  readonly allowPrivate: boolean;
  /** Only an index with a signature of this minisign key, at its address with `.minisig`, is used. Default: any. */
  readonly minisign?: string;
}

/** Bytes of an index: enough for 50,000 entries of 300 bytes. */
const MAX_INDEX_BYTES = 16 * 2 ** 20;
/** Bytes of a skill file, as many as the gateway can read of it. */
const MAX_SKILL_FILE_BYTES = 16 * 2 ** 20;
/** Artifacts fetched at a time. */
const CONCURRENCY = 4;

export function wellKnownSource(options: WellKnownSourceOptions): FetchedSource {
  const site = new URL(options.url);
  const [index, older] = listIndexUrls(site);
  const guard = openGuard({ privateOrigins: options.allowPrivate ? [site.origin] : [] });
  const { headers, minisign } = options;
  const from: Site = { index, older, headers, guard, ...(minisign !== undefined && { minisign }) };
  return new CachedSource(options, {
    kind: 'well-known',
    origin: shownUrl(site),
    // What was fetched without this key does not count.
    key: [index.origin, index.pathname, ...(options.minisign === undefined ? [] : [options.minisign])],
    secrets: listSecrets({ kind: 'http', url: options.url, headers }),
    fetch: (incoming) => fetchSite(from, incoming),
    close: () => guard.close(),
  });
}

interface Site {
  readonly index: URL;
  /** Where the older index would be. */
  readonly older: URL | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly guard: Guard;
  readonly minisign?: string;
}

async function fetchSite(site: Site, incoming: IncomingContents): Promise<Contents | null> {
  const { last, signal, limits } = incoming;
  const { etag, lastModified } = last?.memory ?? {};
  const conditions = {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined || etag !== undefined ? {} : { 'if-modified-since': lastModified }),
  };
  const headers = { ...site.headers, ...conditions, accept: 'application/json' };
  const answer = await fetchIndex(site, (url) =>
    download(site.guard.fetch, url, { headers, maxBytes: MAX_INDEX_BYTES, signal }),
  );
  if (answer.status === 304 && last !== null) return null;
  const bytes = await collectBytes(answer);
  if (site.minisign !== undefined) await checkIndex(site, site.minisign, answer.url, bytes, signal);
  const { listed, unusable } = readIndex(bytes, answer.url);
  if (site.minisign !== undefined && listed.some(({ type }) => type === 'files'))
    throw new FetchError(
      'The older index has no digests, so its signature does not cover the skills: publish /.well-known/agent-skills/index.json.',
    );
  if (listed.length > limits.maxSkills) throw tooManySkills(listed.length, limits);
  for (const { id, path, reason } of unusable)
    incoming.report(
      id,
      path,
      `The index’s entry was left out: ${reason}.`,
      'Report it to the site’s publisher.',
    );
  const failures = await fetchArtifacts(site, listed, incoming);
  if (failures.length > 0 && failures.length === listed.length) {
    throw new FetchError(`None of its ${listed.length} skills could be fetched: ${failures[0]}`);
  }
  // Without validators the next fetch gets the whole index, and tries the failed artifacts again. An older index may be
  // unchanged while its files are not.
  const mayChange = failures.length > 0 || listed.some(({ type }) => type === 'files');
  return incoming.finish(mayChange ? {} : readValidators(answer.headers));
}

/** The index has the digest of each artifact, so its signature covers all of them. */
async function checkIndex(
  { guard, headers, index }: Site,
  publicKey: string,
  url: URL,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const key = minisignKey(publicKey);
  const at = new URL(url);
  at.pathname += '.minisig';
  const answer = await download(guard.fetch, at, {
    headers: at.origin === index.origin ? headers : {},
    maxBytes: MAX_SIGNATURE_BYTES,
    signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    const message = `The index has no signature: ${errorMessage(cause)} Publish the signature of minisign -S there.`;
    throw new FetchError(message, { cause });
  });
  const signature = Buffer.from(await collectBytes(answer)).toString('utf8');
  await checkSignature(key, signature, [bytes], shownUrl(url));
}

/** The index; the older one where there is no other. */
async function fetchIndex({ index, older }: Site, get: (url: URL) => Promise<Download>): Promise<Download> {
  try {
    return await get(index);
  } catch (error) {
    const isMissing = error instanceof NetError && [404, 410].includes(Number(error.data.status));
    if (older === undefined || !isMissing) throw error;
    return get(older).catch(() => {
      throw error;
    });
  }
}

function readValidators(headers: Headers): Record<string, string> {
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')];
  return {
    ...(etag === null ? {} : { etag }),
    ...(lastModified === null ? {} : { lastModified }),
  };
}

/** The reasons of failed skills. */
async function fetchArtifacts(
  site: Site,
  listed: readonly Listed[],
  incoming: IncomingContents,
): Promise<string[]> {
  const stored = filesBySkill(incoming.last);
  const failures: string[] = [];
  const queue = listed.values();
  const work = async () => {
    for (const entry of queue) {
      const failure = await fetchArtifact(site, entry, stored.get(entry.name) ?? [], incoming);
      if (failure !== null) failures.push(failure);
    }
  };
  const workers = Array.from({ length: CONCURRENCY }, work);
  // Wait for all workers, even if one fails: a running one would write into the next fetch.
  const ended = await Promise.allSettled(workers);
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return failures;
}

type SkillFiles = readonly (readonly [path: string, file: StoredFile])[];

function filesBySkill(last: Contents | null): Map<string, SkillFiles> {
  const files = new Map<string, [string, StoredFile][]>();
  for (const [path, file] of last?.files ?? []) {
    const name = path.slice(0, path.indexOf('/'));
    files.set(name, [...(files.get(name) ?? []), [path, file]]);
  }
  return files;
}

async function fetchArtifact(
  site: Site,
  entry: Listed,
  before: SkillFiles,
  incoming: IncomingContents,
): Promise<string | null> {
  const { name } = entry;
  // An empty `resolved` says that some files of the last contents are missing.
  const isComplete = incoming.last?.resolved !== '' && before.length > 0;
  if (isComplete && entry.type !== 'files' && before.every(([, file]) => file.from === entry.digest)) {
    for (const [path, file] of before) incoming.add(path, file);
    incoming.reportAgain(name);
    return null;
  }
  let files: Map<string, StoredFile>;
  try {
    files = await fetchFiles(site, entry, incoming);
  } catch (error) {
    incoming.signal.throwIfAborted();
    // All skills together are too many: no single one is to blame.
    if (incoming.bytesLeft < 0) throw tooManyBytes(incoming.limits);
    const reason = errorMessage(error);
    const kept = before.length > 0 ? ' The files fetched before stay.' : '';
    const message = `The skill could not be fetched: ${reason}${kept}`;
    incoming.report(
      'entry-failed',
      name,
      message,
      'Report it to the site’s publisher, or wait for the next refresh.',
    );
    for (const [path, file] of before) incoming.add(path, file);
    return reason;
  }
  for (const [path, file] of files) incoming.add(path, file);
  return null;
}

/** The files of one entry, in their places. Of a skill without all of its files nothing is used. */
async function fetchFiles(
  site: Site,
  entry: Listed,
  incoming: IncomingContents,
): Promise<Map<string, StoredFile>> {
  const { maxBytes } = incoming.limits;
  const isArchive = entry.type === 'archive';
  // All archives on disk together are no larger than the source may be.
  const most = isArchive ? Math.floor(maxBytes / CONCURRENCY) : Math.min(MAX_SKILL_FILE_BYTES, maxBytes);
  const viaDownload = async <Result>(url: URL, use: (path: string, sha256: string) => Promise<Result>) => {
    const { bytes } = await download(site.guard.fetch, url, {
      headers: url.origin === site.index.origin ? site.headers : {},
      maxBytes: most,
      signal: incoming.signal,
    });
    return viaFile(bytes, incoming.newStagingPath(), use);
  };
  if (entry.type === 'files') {
    const stored = new Map<string, StoredFile>();
    for (const [path, url] of await listUrls(entry, incoming))
      stored.set(path, await viaDownload(url, (file) => incoming.store(createReadStream(file))));
    return stored;
  }
  const { name, url, digest } = entry;
  return viaDownload(url, async (path, sha256) => {
    verifyDigest(entry, sha256);
    if (!isArchive)
      return new Map([[`${name}/SKILL.md`, await incoming.store(createReadStream(path), { from: digest })]]);
    const files = await unpack(path, incoming, { from: digest, as: `${name}/` });
    if (files.has(`${name}/SKILL.md`)) return files;
    const message =
      'Its archive has no SKILL.md at the root. Pack the skill’s folder without a folder around it.';
    throw new FetchError(message);
  });
}

/** Writes the chunks to a new file, never into memory, runs `use` with its path and digest, and removes it. */
async function viaFile<Result>(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  use: (path: string, sha256: string) => Promise<Result>,
): Promise<Result> {
  try {
    const hash = createHash('sha256');
    const hashed = async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(hashed, createWriteStream(path, { flags: 'wx' }));
    return await use(path, hash.digest('hex'));
  } finally {
    rmSync(path, { force: true });
  }
}

/** Where the files of an older index are, by their path. Reports the names that are left out. */
async function listUrls(
  { name, url, files }: ListedFiles,
  incoming: IncomingContents,
): Promise<[path: string, url: URL][]> {
  const offers = files.map((file) => ({
    path: `${name}/${file}`,
    type: 'file' as const,
    executable: false,
    size: null,
  }));
  const taken = await selectFiles(offers, (...found) => incoming.report(...found));
  if (!taken.some(({ path }) => path === `${name}/SKILL.md`))
    throw new FetchError('Its list of files has no SKILL.md.');
  return taken.map(({ path }) => {
    const segments = path.slice(name.length + 1).split('/');
    return [path, new URL(segments.map(encodeURIComponent).join('/'), url)];
  });
}

function verifyDigest({ url, digest }: ListedArtifact, found: string): void {
  if (digest === `sha256:${found}`) return;
  const message = `${shownUrl(url)} has the digest sha256:${found}, and the index says ${digest}.`;
  throw new FetchError(message);
}
