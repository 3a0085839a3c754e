/**
 * Skills that a site publishes at `/.well-known/agent-skills/index.json`. The index's digests decide what is fetched
 * and what of it counts: an artifact that is not what the index says is not used, whoever sent it.
 */

import { createHash } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { bytesOf, download } from '../../net/download.ts';
import { NetError, shownUrl } from '../../net/errors.ts';
import { type Guard, openGuard } from '../../net/guarded-fetch.ts';
import { sha256Of } from '../../skills/digest.ts';
import { FetchError } from '../errors.ts';
import { unpack } from './archive/unpack.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import { fetchedSource } from './fetching.ts';
import type { Contents, StoredFile } from './store/contents.ts';
import { type Intake, tooManyBytes, tooManySkills } from './store/intake.ts';
import { indexUrlOf, type Listed, readIndex } from './well-known/discovery.ts';

export interface WellKnownSourceOptions extends FetchOptions {
  /** The site, or an index itself. */
  readonly url: string;
  /** Sent to the site's own origin alone. */
  readonly headers: Readonly<Record<string, string>>;
  /** The site may have a private address, and no TLS; what it refers to elsewhere may not. */
  readonly allowPrivate: boolean;
}

/** Bytes of an index: an entry takes 300, so that 50,000 skills fit. */
const MAX_INDEX_BYTES = 16 * 2 ** 20;
/** Artifacts asked for at a time. */
const CONCURRENCY = 4;
/** Shorter header values (`1`, `en`) are no secrets, and hiding them would tear holes into messages. */
const SECRET_CHARACTERS = 6;

export function wellKnownSource(options: WellKnownSourceOptions): FetchedSource {
  const site = new URL(options.url);
  const index = indexUrlOf(site);
  const guard = openGuard({ privateOrigins: options.allowPrivate ? [site.origin] : [] });
  const asked: Site = { index, headers: options.headers, guard };
  return fetchedSource(options, {
    kind: 'well-known',
    origin: shownUrl(site),
    key: [index.origin, index.pathname],
    secrets: secretsOf(options.headers, site),
    fetch: (intake) => fetchSite(asked, intake),
    close: () => guard.close(),
  });
}

interface Site {
  readonly index: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly guard: Guard;
}

async function fetchSite(site: Site, intake: Intake): Promise<Contents | null> {
  const { last, signal, limits } = intake;
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
    intake.report(
      isUnknownType ? 'entry-unknown' : 'entry-failed',
      path,
      message,
      'Tell the site’s publisher.',
    );
  }
  const failures = await takeAll(site, listed, intake);
  if (failures.length > 0 && failures.length === listed.length) {
    throw new FetchError(
      'FETCH_UNREACHABLE',
      `None of its ${listed.length} skills could be fetched: ${failures[0]}`,
    );
  }
  // What failed is asked for again next time: the index must then come anew, not as unchanged.
  return intake.finish(failures.length > 0 ? {} : validatorsOf(answer.headers));
}

function validatorsOf(headers: Headers): Record<string, string> {
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')];
  return {
    ...(etag === null ? {} : { etag }),
    ...(lastModified === null ? {} : { lastModified }),
  };
}

/** Why skills failed, one text for each that did. */
async function takeAll(site: Site, listed: readonly Listed[], intake: Intake): Promise<string[]> {
  const held = heldBySkill(intake.last);
  const failures: string[] = [];
  const waiting = listed.values();
  const work = async () => {
    for (const entry of waiting) {
      const failure = await takeOne(site, entry, held.get(entry.name) ?? [], intake);
      if (failure !== null) failures.push(failure);
    }
  };
  const workers = Array.from({ length: CONCURRENCY }, work);
  // All have to end before the fetch does: what goes on after it would write into the next one.
  const ended = await Promise.allSettled(workers);
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return failures;
}

type Held = readonly (readonly [path: string, file: StoredFile])[];

function heldBySkill(last: Contents | null): Map<string, Held> {
  const held = new Map<string, [string, StoredFile][]>();
  for (const [path, file] of last?.files ?? []) {
    const name = path.slice(0, path.indexOf('/'));
    held.set(name, [...(held.get(name) ?? []), [path, file]]);
  }
  return held;
}

async function takeOne(site: Site, entry: Listed, held: Held, intake: Intake): Promise<string | null> {
  const { name, digest } = entry;
  // Without its `resolved` the last contents lack files, and nobody knows which.
  const isWhole = intake.last?.resolved !== '' && held.length > 0;
  if (isWhole && held.every(([, file]) => file.from === digest)) {
    for (const [path, file] of held) intake.add(path, file);
    intake.reportAgain(name);
    return null;
  }
  let files: Map<string, StoredFile>;
  try {
    files = await (entry.type === 'archive' ? takeArchive : takeSkillFile)(site, entry, intake);
  } catch (error) {
    intake.signal.throwIfAborted();
    if (error instanceof FetchError && error.code === 'FETCH_TOO_LARGE') throw error;
    if (error instanceof NetError && error.code === 'NET_TOO_LARGE') throw tooManyBytes(intake.limits);
    const reason = error instanceof Error ? error.message : String(error);
    const kept = held.length > 0 ? ' What was fetched before stays.' : '';
    const message = `The skill could not be fetched: ${reason}${kept}`;
    intake.report('entry-failed', name, message, 'Tell the site’s publisher, or wait for the next refresh.');
    for (const [path, file] of held) intake.add(path, file);
    return reason;
  }
  for (const [path, file] of files) intake.add(path, file);
  return null;
}

async function takeSkillFile(site: Site, entry: Listed, intake: Intake): Promise<Map<string, StoredFile>> {
  const bytes = await bytesOf(await artifactOf(site, entry, intake));
  refuseOther(entry, sha256Of(bytes));
  return new Map([[`${entry.name}/SKILL.md`, await intake.store(bytes, { from: entry.digest })]]);
}

async function takeArchive(site: Site, entry: Listed, intake: Intake): Promise<Map<string, StoredFile>> {
  const aside = intake.newAside();
  try {
    const hash = createHash('sha256');
    const { bytes } = await artifactOf(site, entry, intake);
    const hashed = async function* () {
      for await (const piece of bytes) {
        hash.update(piece);
        yield piece;
      }
    };
    await pipeline(hashed, createWriteStream(aside, { flags: 'wx' }));
    refuseOther(entry, hash.digest('hex'));
    const files = await unpack(aside, intake, { from: entry.digest, as: `${entry.name}/` });
    if (files.has(`${entry.name}/SKILL.md`)) return files;
    const message =
      'Its archive has no SKILL.md at the root. Pack the skill’s folder without a folder around it.';
    throw new FetchError('FETCH_INVALID', message);
  } finally {
    rmSync(aside, { force: true });
  }
}

function artifactOf({ index, headers, guard }: Site, { url }: Listed, { room, signal }: Intake) {
  return download(guard.fetch, url, {
    headers: url.origin === index.origin ? headers : {},
    maxBytes: room,
    signal,
  });
}

function refuseOther({ url, digest }: Listed, found: string): void {
  if (digest === `sha256:${found}`) return;
  const message = `${shownUrl(url)} has the digest sha256:${found}, and the index says ${digest}.`;
  throw new FetchError('FETCH_INVALID', message);
}

function secretsOf(headers: Readonly<Record<string, string>>, { username, password, search }: URL): string[] {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const inUrl = [username, password, decodeURIComponent(password), search.slice(1)];
  return [...words, ...inUrl].filter(({ length }) => length >= SECRET_CHARACTERS);
}
