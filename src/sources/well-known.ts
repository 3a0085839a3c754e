/**
 * Skills that a site publishes at `/.well-known/agent-skills/index.json`. The index has a digest for each artifact: only
 * changed artifacts are fetched, and one with another digest is not used.
 */

import { messageOf } from '../errors/public.ts';
import { bytesOf, download, type Guard, openGuard, shownUrl } from '../net/public.ts';
import { unpack } from './archive/unpack.ts';
import { CachedSource } from './cached-source.ts';
import { FetchError } from './errors.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import type { Contents, StoredFile } from './store/contents.ts';
import { type IncomingContents, tooManyBytes, tooManySkills } from './store/incoming.ts';
import { DownloadTotal, Portion, viaFile } from './well-known/artifact.ts';
import { indexUrlOf, type Listed, readIndex } from './well-known/discovery.ts';

export interface WellKnownSourceOptions extends FetchOptions {
  /** The site, or an index itself. */
  readonly url: string;
  /** Sent only to the site's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the site may have a private address and no TLS. Other origins that it refers to may not. */
  readonly allowPrivate: boolean;
}

/** Bytes of an index: enough for 50,000 entries of 300 bytes. */
const MAX_INDEX_BYTES = 16 * 2 ** 20;
/** Bytes of a skill file, as many as the gateway can read of it. */
const MAX_SKILL_FILE_BYTES = 16 * 2 ** 20;
/** Artifacts fetched at a time. */
const CONCURRENCY = 4;
/** Shorter header values (`1`, `en`) are not secrets, and hiding them would garble messages. */
const SECRET_CHARACTERS = 6;

export function wellKnownSource(options: WellKnownSourceOptions): FetchedSource {
  const site = new URL(options.url);
  const index = indexUrlOf(site);
  const guard = openGuard({ privateOrigins: options.allowPrivate ? [site.origin] : [] });
  const from: Site = { index, headers: options.headers, guard };
  return new CachedSource(options, {
    kind: 'well-known',
    origin: shownUrl(site),
    key: [index.origin, index.pathname],
    secrets: secretsOf(options.headers, site),
    fetch: (incoming) => fetchSite(from, incoming),
    close: () => guard.close(),
  });
}

interface Site {
  readonly index: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly guard: Guard;
}

async function fetchSite(site: Site, incoming: IncomingContents): Promise<Contents | null> {
  const { last, signal, limits } = incoming;
  const { etag, lastModified } = last?.memory ?? {};
  const conditions = {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined || etag !== undefined ? {} : { 'if-modified-since': lastModified }),
  };
  const headers = { ...site.headers, ...conditions, accept: 'application/json' };
  const answer = await download(site.guard.fetch, site.index, { headers, maxBytes: MAX_INDEX_BYTES, signal });
  if (answer.status === 304 && last !== null) return null;
  const { listed, unusable } = readIndex(await bytesOf(answer), answer.url);
  if (listed.length > limits.maxSkills) throw tooManySkills(listed.length, limits);
  for (const { path, isUnknownType, reason } of unusable) {
    const message = `The index’s entry was left out: ${reason}.`;
    incoming.report(
      isUnknownType ? 'entry-unknown' : 'entry-failed',
      path,
      message,
      'Report it to the site’s publisher.',
    );
  }
  const failures = await fetchArtifacts(site, listed, incoming);
  if (failures.length > 0 && failures.length === listed.length) {
    throw new FetchError(
      'FETCH_UNREACHABLE',
      `None of its ${listed.length} skills could be fetched: ${failures[0]}`,
    );
  }
  // Without validators the next fetch gets the whole index, and tries the failed artifacts again.
  return incoming.finish(failures.length > 0 ? {} : validatorsOf(answer.headers));
}

function validatorsOf(headers: Headers): Record<string, string> {
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
  const total = new DownloadTotal(incoming.limits.maxBytes);
  const work = async () => {
    for (const entry of queue) {
      const failure = await fetchArtifact(site, entry, stored.get(entry.name) ?? [], incoming, total);
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
  total: DownloadTotal,
): Promise<string | null> {
  const { name, digest } = entry;
  // An empty `resolved` says that some files of the last contents are missing.
  const isComplete = incoming.last?.resolved !== '' && before.length > 0;
  if (isComplete && before.every(([, file]) => file.from === digest)) {
    for (const [path, file] of before) incoming.add(path, file);
    incoming.reportAgain(name);
    return null;
  }
  let files: Map<string, StoredFile>;
  const portion = new Portion(incoming);
  try {
    files = await filesOf(site, entry, incoming.newStagingPath(), portion, total);
  } catch (error) {
    incoming.signal.throwIfAborted();
    // All skills together are too many: no single one is to blame.
    if (incoming.bytesLeft < 0) throw tooManyBytes(incoming.limits);
    portion.release();
    const reason = messageOf(error);
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

async function filesOf(
  { index, headers, guard }: Site,
  entry: Listed,
  staged: string,
  portion: Portion,
  total: DownloadTotal,
): Promise<Map<string, StoredFile>> {
  const { name, url, digest, type } = entry;
  const isArchive = type === 'archive';
  const one = total.begin();
  try {
    const { bytes } = await download(guard.fetch, url, {
      headers: url.origin === index.origin ? headers : {},
      ...(isArchive
        ? { maxBytes: portion.limits.maxBytes, setting: 'maxBytes' }
        : { maxBytes: Math.min(MAX_SKILL_FILE_BYTES, portion.limits.maxBytes) }),
      signal: AbortSignal.any([portion.signal, one.signal]),
    });
    const count = (size: number) => total.count(one, size);
    return await viaFile(bytes, staged, count, async (path, sha256) => {
      verifyDigest(entry, sha256);
      if (!isArchive) return new Map([[`${name}/SKILL.md`, await portion.storeFile(path, digest)]]);
      const files = await unpack(path, portion, { from: digest, as: `${name}/` });
      if (files.has(`${name}/SKILL.md`)) return files;
      const message =
        'Its archive has no SKILL.md at the root. Pack the skill’s folder without a folder around it.';
      throw new FetchError('FETCH_INVALID', message);
    });
  } finally {
    total.end(one);
  }
}

function verifyDigest({ url, digest }: Listed, found: string): void {
  if (digest === `sha256:${found}`) return;
  const message = `${shownUrl(url)} has the digest sha256:${found}, and the index says ${digest}.`;
  throw new FetchError('FETCH_INVALID', message);
}

function secretsOf(headers: Readonly<Record<string, string>>, { username, password, search }: URL): string[] {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const inUrl = [username, password, decodeURIComponent(password), search.slice(1)];
  return [...words, ...inUrl].filter(({ length }) => length >= SECRET_CHARACTERS);
}
