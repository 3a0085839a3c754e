/**
 * The store in a folder that several machines share. What makes a publication single is the exclusive creation of a file: the
 * file of a version is linked into place once, by one of those that try, so that a paused writer finds its version taken.
 *
 * - `objects/ab/<sha256>`, `skills/ab/<digest>.json`: immutable, renamed into place.
 * - `lines/<line>/<version>.json`: the files of one generation, and the writer's fence.
 * - `lines/<line>/lease-<fence>`: the newest one is the lease; its time of change says when it was renewed.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCodeOf } from '../../src/base/errors.ts';
import type {
  Collected,
  CollectOptions,
  IndexStore,
  Lease,
  LineStatus,
  NewObject,
  PublishedIndex,
  StoredObject,
  StoredSkill,
  StoreStatus,
  WriteBytes,
} from './index-store.ts';
import { conflict, damaged, fenced, full, StoreError } from './store-error.ts';

/** Bytes read or written at once. */
const BLOCK = 2 ** 20;
/** How often the folder is looked at for changes, ms. */
const LOOK_MS = 500;

interface VersionFile extends Pick<PublishedIndex, 'generation' | 'files'> {
  readonly publishedAt: string;
  readonly fence: number;
}

interface LeaseFile {
  readonly holder: string;
  readonly ttlMs: number;
}

/** The folder is made by the first write. */
export class FolderStore implements IndexStore {
  readonly #folder: string;
  readonly #stops = new Set<() => void>();

  /** Absolute. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async newest(line: string): Promise<PublishedIndex | null> {
    return this.#guarded(() => this.#newest(line));
  }

  async fetch({ sha256, size }: StoredObject, write: WriteBytes): Promise<void> {
    const file = this.#guarded(() => {
      try {
        return openSync(this.#objectPath(sha256), 'r');
      } catch (error) {
        if (systemCodeOf(error) === 'ENOENT') throw damaged(sha256, 'is not there');
        throw error;
      }
    });
    try {
      for (let position = 0; position < size; ) {
        const bytes = Buffer.allocUnsafe(Math.min(BLOCK, size - position));
        const count = this.#guarded(() => readSync(file, bytes, 0, bytes.length, position));
        if (count === 0) throw damaged(sha256, `ends at byte ${position}`);
        await write(position, bytes.subarray(0, count));
        position += count;
      }
    } finally {
      closeSync(file);
    }
  }

  async hasObjects(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(digests.filter((digest) => this.#touched(this.#objectPath(digest))));
  }

  async hasSkills(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(digests.filter((digest) => this.#touched(this.#skillPath(digest))));
  }

  async addObjects(objects: readonly NewObject[]): Promise<void> {
    await this.#guarded(() => {
      for (const { sha256, chunks } of objects)
        if (!isThere(this.#objectPath(sha256))) this.#write(this.#objectPath(sha256), chunks());
    });
  }

  async addSkills(skills: readonly StoredSkill[]): Promise<void> {
    await this.#guarded(() => {
      for (const { digest, files } of skills) {
        for (const { sha256 } of files)
          if (sha256 !== null && !isThere(this.#objectPath(sha256))) throw damaged(sha256, 'is not there');
        this.#write(this.#skillPath(digest), [Buffer.from(JSON.stringify(files))]);
      }
    });
  }

  async skill(digest: string): Promise<StoredSkill | null> {
    return this.#guarded(() => {
      const text = readIfThere(this.#skillPath(digest));
      return text === null ? null : { digest, files: JSON.parse(text) };
    });
  }

  async publish(
    lease: Lease,
    expected: number | null,
    next: Pick<PublishedIndex, 'generation' | 'files'>,
  ): Promise<PublishedIndex> {
    return this.#guarded(() => {
      for (const { sha256 } of next.files)
        if (!isThere(this.#objectPath(sha256))) throw damaged(sha256, 'is not there');
      return this.#publish(lease, expected, next);
    });
  }

  #publish(
    lease: Lease,
    expected: number | null,
    { generation, files }: Pick<PublishedIndex, 'generation' | 'files'>,
  ): PublishedIndex {
    const { line, fence } = lease;
    if (this.#fence(line) !== fence) throw fenced(lease);
    const found = this.#versions(line).at(-1) ?? null;
    if (found !== expected) throw conflict(line, expected, found);
    const version = (expected ?? 0) + 1;
    const publishedAt = new Date();
    const text = JSON.stringify({ generation, files, fence, publishedAt: publishedAt.toISOString() });
    if (!this.#create(this.#versionPath(line, version), text)) throw conflict(line, expected, version);
    return { version, generation, publishedAt, files };
  }

  async acquire(line: string, holder: string, ttlMs: number): Promise<Lease | null> {
    return this.#guarded(() => {
      const fence = this.#fence(line);
      if (fence > 0 && !this.#isExpired(line, fence)) return null;
      const lease = { line, holder, fence: fence + 1 };
      const text = JSON.stringify({ holder, ttlMs } satisfies LeaseFile);
      if (!this.#create(this.#leasePath(line, lease.fence), text)) return null;
      // Takes the version that a paused writer was about to create, so that it fails even between its check and its creation.
      const newest = this.#newest(line);
      if (newest !== null)
        try {
          this.#publish(lease, newest.version, newest);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          return null;
        }
      return lease;
    });
  }

  async renew({ line, fence }: Lease, _ttlMs: number): Promise<boolean> {
    return this.#guarded(() => {
      if (this.#fence(line) !== fence) return false;
      const now = this.#now();
      utimesSync(this.#leasePath(line, fence), now, now);
      return this.#fence(line) === fence;
    });
  }

  async release({ line, fence }: Lease): Promise<void> {
    this.#guarded(() => {
      if (this.#fence(line) === fence) utimesSync(this.#leasePath(line, fence), 0, 0);
    });
  }

  /** Looks for new versions and leases: systems do not report what other machines change. */
  onChange(listener: () => void): () => void {
    let known = this.#state();
    const timer = setInterval(() => {
      const state = this.#state();
      if (state !== known) listener();
      known = state;
    }, LOOK_MS).unref();
    const stop = () => {
      clearInterval(timer);
      this.#stops.delete(stop);
    };
    this.#stops.add(stop);
    return stop;
  }

  async status(): Promise<StoreStatus> {
    return this.#guarded(() => {
      const lines = this.#lines().flatMap((line): LineStatus[] => {
        const newest = this.#newest(line);
        if (newest === null) return [];
        const { version, generation, publishedAt, files } = newest;
        const fence = this.#fence(line);
        const held = fence > 0 && !this.#isExpired(line, fence);
        const writer = held ? this.#lease(line, fence).holder : null;
        const bytes = files.reduce((sum, { size }) => sum + size, 0);
        return [{ line, version, generation, publishedAt, bytes, writer, fence }];
      });
      const objects = this.#all('objects');
      const bytes = objects.reduce((sum, path) => sum + statSync(path).size, 0);
      return { lines, skills: this.#all('skills').length, objects: objects.length, bytes };
    });
  }

  async collect({ keep, liveSkills, graceMs }: CollectOptions): Promise<Collected> {
    return this.#guarded(() => {
      const oldest = this.#now() - graceMs / 1_000;
      const isOld = (path: string) => statSync(path).mtimeMs / 1_000 < oldest;
      const needed = new Set<string>();
      let generations = 0;
      for (const line of this.#lines()) {
        const versions = this.#versions(line);
        for (const version of versions.slice(0, -keep)) {
          rmSync(this.#versionPath(line, version));
          generations += 1;
        }
        for (const version of versions.slice(-keep))
          for (const { sha256 } of this.#version(line, version).files) needed.add(sha256);
      }
      const live = liveSkills === null ? null : new Set(liveSkills);
      let skills = 0;
      for (const path of this.#all('skills')) {
        const digest = path.slice(-69, -5);
        if (live === null || live.has(digest) || !isOld(path)) {
          for (const { sha256 } of JSON.parse(readFileSync(path, 'utf8')) as StoredSkill['files'])
            if (sha256 !== null) needed.add(sha256);
        } else {
          rmSync(path);
          skills += 1;
        }
      }
      let [objects, bytes] = [0, 0];
      for (const path of this.#all('objects')) {
        if (needed.has(path.slice(-64)) || !isOld(path)) continue;
        bytes += statSync(path).size;
        objects += 1;
        rmSync(path);
      }
      return { generations, skills, objects, bytes };
    });
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
  }

  /** Whether the file is there; it counts as new from now on. */
  #touched(path: string): boolean {
    try {
      const now = new Date();
      utimesSync(path, now, now);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  #newest(line: string): PublishedIndex | null {
    const version = this.#versions(line).at(-1);
    if (version === undefined) return null;
    const { generation, files, publishedAt } = this.#version(line, version);
    return { version, generation, files, publishedAt: new Date(publishedAt) };
  }

  #version(line: string, version: number): VersionFile {
    return JSON.parse(readFileSync(this.#versionPath(line, version), 'utf8'));
  }

  #lease(line: string, fence: number): LeaseFile {
    return JSON.parse(readFileSync(this.#leasePath(line, fence), 'utf8'));
  }

  /** Versions of the line, ascending. */
  #versions = (line: string) => this.#numbers(line, /^(\d+)\.json$/);
  /** Fence of the newest lease; 0 without one. */
  #fence = (line: string) => this.#numbers(line, /^lease-(\d+)$/).at(-1) ?? 0;

  #numbers(line: string, pattern: RegExp): number[] {
    return namesIn(this.#linePath(line))
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  #isExpired(line: string, fence: number): boolean {
    const { mtimeMs } = statSync(this.#leasePath(line, fence));
    return 1_000 * this.#now() - mtimeMs > this.#lease(line, fence).ttlMs;
  }

  /** Seconds by the clock that sets times of files, which may be another machine's. */
  #now(): number {
    const path = join(this.#folder, `clock-${randomUUID()}`);
    writeFileSync(path, '');
    try {
      return statSync(path).mtimeMs / 1_000;
    } finally {
      rmSync(path, { force: true });
    }
  }

  #state = () =>
    this.#lines()
      .map((line) => `${line} ${this.#versions(line).at(-1)}`)
      .join();
  #lines = () => namesIn(join(this.#folder, 'lines')).map(decodeURIComponent);
  #linePath = (line: string) => join(this.#folder, 'lines', encodeURIComponent(line));
  #versionPath = (line: string, version: number) => join(this.#linePath(line), `${version}.json`);
  #leasePath = (line: string, fence: number) => join(this.#linePath(line), `lease-${fence}`);
  #objectPath = (sha256: string) => join(this.#folder, 'objects', sha256.slice(0, 2), sha256);
  #skillPath = (digest: string) => join(this.#folder, 'skills', digest.slice(0, 2), `${digest}.json`);

  #all(kind: 'objects' | 'skills'): string[] {
    const folder = join(this.#folder, kind);
    return namesIn(folder).flatMap((part) =>
      namesIn(join(folder, part))
        .filter((name) => !name.endsWith(DRAFT))
        .map((name) => join(folder, part, name)),
    );
  }

  /** Creates a whole file; false if it is there already. */
  #create(path: string, text: string): boolean {
    const draft = this.#draft(path, [Buffer.from(text)]);
    try {
      linkSync(draft, path);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #write(path: string, chunks: Iterable<Uint8Array>): void {
    renameSync(this.#draft(path, chunks), path);
  }

  #draft(path: string, chunks: Iterable<Uint8Array>): string {
    mkdirSync(join(path, '..'), { recursive: true });
    const draft = `${path}.${randomUUID()}${DRAFT}`;
    const file = openSync(draft, 'wx');
    try {
      for (const chunk of chunks) for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
      fsyncSync(file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    return draft;
  }

  #guarded<Result>(use: () => Result): Result {
    try {
      mkdirSync(this.#folder, { recursive: true });
      return use();
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined || error instanceof StoreError) throw error;
      if (['ENOSPC', 'EDQUOT'].includes(code) && error instanceof Error)
        throw full(`the shared folder ${this.#folder}`, error);
      const refused = ['EACCES', 'EPERM', 'EROFS'].includes(code);
      throw new StoreError(
        refused ? 'STORE_REFUSED' : 'STORE_UNREACHABLE',
        `The shared folder ${this.#folder} cannot be used: ${messageOf(error)}.`,
        { cause: error },
      );
    }
  }
}

/** Ends the names of files that are not finished. */
const DRAFT = '.draft';

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;

const readIfThere = (path: string) => (isThere(path) ? readFileSync(path, 'utf8') : null);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
