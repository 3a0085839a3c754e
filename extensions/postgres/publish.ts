/** Publishes the current generation of a directory: first its objects and the files of its skills, then the generation itself. */

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Directory, OpenFile } from '../../index/directory/directory.ts';
import { IndexError } from '../../index/errors.ts';
import { generationFiles, type IndexManifest, readManifest } from '../../index/manifest.ts';
import { SegmentReader } from '../../index/segment/reader.ts';
import type { CatalogEntry, Reader, SkillFile } from '../../src/app/extension-api.ts';
import { FileError } from '../../src/base/files/open.ts';
import { readBelow } from '../../src/base/files/read.ts';
import { entryAt } from '../../src/search/search.ts';
import { digestFiles, hashBytes } from '../../src/skills/digest.ts';
import {
  type IndexFile,
  type IndexStore,
  isStoreError,
  type Lease,
  type NewObject,
  type PublishedIndex,
  type StoredSkill,
  type StoredSkillFile,
} from './index-store.ts';

/** Bytes of a file that are read at once. */
const BLOCK = 2 ** 20;
/** Entries that are read at once. */
const ENTRIES = 200;
/** Skills whose presence is asked at once. */
const ASKED = 5_000;
/** Skills and bytes that are added at once. */
const MAX_SKILLS = 200;
const MAX_BYTES = 16 * 2 ** 20;
/** A larger file is listed without its bytes: it is never served (`gateway/skill-files.ts`). */
const MAX_FILE_BYTES = 16 * 2 ** 20;
/** A writer of the index may replace the generation while its files are opened. */
const TRIES = 5;

export interface PublisherOptions {
  readonly store: IndexStore;
  /** The writer's own index. */
  readonly directory: Directory;
  /** The files of a skill as its source lists them now. */
  readonly filesOf: (entry: CatalogEntry) => Promise<readonly SkillFile[]>;
  /**
   * Times in a row that a publication is left out because a skill has changed since it was indexed: the change will be indexed, and a
   * generation whose skills can all be loaded stays published until then. Default 0.
   */
  readonly waits?: number;
  /** The published generation that the directory was pulled from: what it names need not be read again. */
  readonly pulled?: PublishedIndex | null;
}

export class Publisher {
  readonly #options: PublisherOptions;
  /** Digests of index files: their names are never used again. */
  readonly #digests = new Map<string, string>();
  /** Segments whose skills are in the store. */
  readonly #published = new Set<string>();
  #waited = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
    for (const { name, sha256 } of options.pulled?.files ?? []) {
      this.#digests.set(name, sha256);
      this.#published.add(name);
    }
  }

  /**
   * Publishes what the directory holds, unless it is the newest published generation already or `waits` says to wait. Returns the
   * newest one; null if there is no index yet. Rejects with `StoreError`.
   */
  async publish(lease: Lease): Promise<PublishedIndex | null> {
    const { store, directory, waits = 0 } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const open = openGeneration(directory);
      if (open === null) return null;
      try {
        const newest = await store.newest(lease.line);
        const files = await this.#filesOf(open);
        const current = files.find(({ name }) => name === 'CURRENT')?.sha256;
        if (newest?.files.find(({ name }) => name === 'CURRENT')?.sha256 === current) return newest;
        await this.#addFiles(open, files);
        const isWhole = await this.#addSkills(open);
        if (!isWhole && newest !== null && this.#waited < waits) {
          this.#waited += 1;
          return newest;
        }
        this.#waited = 0;
        const { generation } = open.manifest;
        return await store.publish(lease, newest?.version ?? null, { generation, files });
      } catch (error) {
        // An object that was there has been collected, so that all are asked for once more; or a newer generation is there.
        const isOld =
          error instanceof IndexError && readManifest(directory)?.generation !== open.manifest.generation;
        if (!(isOld || isStoreError(error, 'STORE_DAMAGED')) || tries === TRIES) throw error;
        this.#published.clear();
      } finally {
        for (const file of open.files.values()) file.close();
      }
    }
  }

  async #filesOf({ files }: OpenGeneration): Promise<IndexFile[]> {
    const result: IndexFile[] = [];
    for (const [name, file] of files) {
      const isImmutable = name !== 'CURRENT';
      const sha256 = (isImmutable ? this.#digests.get(name) : undefined) ?? (await hashOf(file));
      if (isImmutable) this.#digests.set(name, sha256);
      result.push({ name, sha256, size: file.size });
    }
    return result.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #addFiles({ files: open }: OpenGeneration, files: readonly IndexFile[]): Promise<void> {
    const { store } = this.#options;
    const known = await store.hasObjects(files.map(({ sha256 }) => sha256));
    const missing = files.filter(({ sha256 }) => !known.has(sha256));
    await store.addObjects(
      missing.map(({ name, sha256, size }) => ({ sha256, size, chunks: () => blocksOf(open.get(name)!) })),
    );
  }

  /** Adds the skills of segments that were not published yet, as far as the store lacks them. False if some have changed since. */
  async #addSkills({ manifest, files }: OpenGeneration): Promise<boolean> {
    const { store, directory } = this.#options;
    // A merge may have removed them from the directory.
    const opened: Directory = { ...directory, open: (name) => ({ ...files.get(name)!, close() {} }) };
    const fresh = manifest.segments.filter(({ name }) => !this.#published.has(name));
    let changed = 0;
    for (const segment of fresh) {
      const before = changed;
      const entries = entriesIn(opened, segment);
      for (let at = 0; at < entries.length; at += ASKED) {
        const asked = entries.slice(at, at + ASKED);
        const known = await store.hasSkills(asked.map(({ digest }) => digest));
        changed += await this.#addMissing(asked.filter(({ digest }) => !known.has(digest)));
      }
      if (changed === before) this.#published.add(segment.name);
    }
    return changed === 0;
  }

  /** Returns the number of those that cannot be added. */
  async #addMissing(entries: readonly CatalogEntry[]): Promise<number> {
    let changed = 0;
    let skills: StoredSkill[] = [];
    let objects = new Map<string, NewObject>();
    let bytes = 0;
    const flush = async () => {
      const { store } = this.#options;
      const known = await store.hasObjects([...objects.keys()]);
      await store.addObjects([...objects.values()].filter(({ sha256 }) => !known.has(sha256)));
      await store.addSkills(skills);
      [skills, objects, bytes] = [[], new Map(), 0];
    };
    for (const entry of entries) {
      const read = await this.#read(entry);
      if (read === null) {
        changed += 1;
        continue;
      }
      skills.push(read.skill);
      for (const object of read.objects) {
        objects.set(object.sha256, object);
        bytes += object.size;
      }
      if (skills.length >= MAX_SKILLS || bytes >= MAX_BYTES) await flush();
    }
    if (skills.length > 0) await flush();
    return changed;
  }

  /**
   * The skill as it was indexed; null if it has changed since. It cannot be loaded then until the change is indexed and published,
   * which follows.
   */
  async #read(entry: CatalogEntry): Promise<{ skill: StoredSkill; objects: NewObject[] } | null> {
    const listed = await this.#options.filesOf(entry);
    const own = new Set(listed.map(({ path }) => path));
    const files: StoredSkillFile[] = [];
    const objects: NewObject[] = [];
    for (const { path, size, kind } of listed) {
      if (size > MAX_FILE_BYTES) {
        files.push({ path, size, kind, sha256: null });
        continue;
      }
      try {
        const bytes = await readBelow(entry.folder, path, (found) => own.has(found), MAX_FILE_BYTES);
        const sha256 = hashBytes(bytes);
        files.push({ path, size: bytes.length, kind, sha256 });
        objects.push({ sha256, size: bytes.length, chunks: () => [bytes] });
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        files.push({ path, size, kind, sha256: null });
      }
    }
    const whole = files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [{ path, sha256 }]));
    const isKnown = whole.length === files.length;
    if (files.length === 0 || (isKnown && digestFiles(whole) !== entry.digest)) return null;
    return { skill: { digest: entry.digest, files }, objects };
  }
}

interface OpenGeneration {
  readonly manifest: IndexManifest;
  readonly files: ReadonlyMap<string, OpenFile>;
}

/** Opens all files of the current generation, which then stay readable. */
function openGeneration(directory: Directory): OpenGeneration | null {
  for (let tries = 1; ; tries += 1) {
    const manifest = readManifest(directory);
    if (manifest === null) return null;
    const files = new Map<string, OpenFile>();
    try {
      for (const name of generationFiles(manifest)) files.set(name, directory.open(name));
      if (readManifest(directory)?.generation === manifest.generation) return { manifest, files };
    } catch (error) {
      if (!(error instanceof IndexError) || tries === TRIES) {
        for (const file of files.values()) file.close();
        throw error;
      }
    }
    for (const file of files.values()) file.close();
  }
}

/** The skills of a directory's current generation. */
export function entriesOf(directory: Directory): CatalogEntry[] {
  const segments = readManifest(directory)?.segments ?? [];
  return segments.flatMap((segment) => entriesIn(directory, segment));
}

/** Digests of those skills: what of the store's skills is in use. */
export const liveSkills = (directory: Directory): string[] =>
  entriesOf(directory).map(({ digest }) => digest);

/** The same of an open index. Searches go on meanwhile. */
export async function liveSkillsIn(reader: Reader): Promise<string[]> {
  const digests: string[] = [];
  for (const ordinal of reader.ordinalsByKey()) {
    digests.push(entryAt(reader, ordinal).digest);
    if (digests.length % ENTRIES === 0) await setImmediate();
  }
  return digests;
}

function entriesIn(
  directory: Directory,
  { name, documents, dead }: IndexManifest['segments'][number],
): CatalogEntry[] {
  const gone = new Set(dead);
  const segment = new SegmentReader(directory, name);
  try {
    const living = Array.from({ length: documents }, (_, at) => at).filter((at) => !gone.has(at));
    // Written by `readDocument`.
    return living.map((at) => segment.payload(at) as CatalogEntry);
  } finally {
    segment.close();
  }
}

async function hashOf(file: OpenFile): Promise<string> {
  const hash = createHash('sha256');
  for (const block of blocksOf(file)) {
    hash.update(block);
    // Searches go on between two blocks.
    await setImmediate();
  }
  return hash.digest('hex');
}

function* blocksOf(file: OpenFile): Generator<Uint8Array> {
  for (let at = 0; at < file.size; at += BLOCK) {
    const block = Buffer.allocUnsafeSlow(Math.min(BLOCK, file.size - at));
    file.readInto(at, block);
    yield block;
  }
}
