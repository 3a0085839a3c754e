/**
 * Skills that are on disk and not in the index yet, found by name: what a call asks for while the folders are being indexed. It reads
 * the folders as a check does, and writes nothing.
 */

import type { Reader } from '../../index/reader/reader.ts';
import { takeTurns } from '../base/timing.ts';
import { readCatalog } from '../sources/scan/catalog.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { SkillFolder } from '../sources/source.ts';
import type { LibraryOptions } from './indexing/options.ts';

/** Longest time of one look at all folders, ms: some 50,000 skills. A call waits for it. */
const LOOK_MS = 3_000;
/** Largest share of time spent on looks: callers that guess names share their results. */
const SHARE = 0.25;

type Options = Pick<LibraryOptions, 'sources' | 'qualifyIds' | 'now'>;

type Accepts = (entry: CatalogEntry) => boolean;

export class Unindexed {
  readonly #options: Options;
  readonly #closing: AbortSignal;
  /** The last look at the folders, and until when it is used again, ms. */
  #looked: { readonly folders: Promise<readonly SkillFolder[]>; until: number } | null = null;

  constructor(options: Options, closing: AbortSignal) {
    this.#options = options;
    this.#closing = closing;
  }

  /**
   * The accepted skills whose id ends with this text, or that have it as name or URI, and that the index does not hold. Never
   * rejects.
   */
  async called(text: string, reader: Reader, accepts: Accepts): Promise<readonly CatalogEntry[]> {
    const direct = await this.#read(this.#foldersAt(text), accepts);
    if (direct.length > 0) return direct;
    const folders = (await this.#folders()).filter(({ id }) => reader.ordinalOf(id) === null);
    const spelled = folders.filter(({ id, uri }) => isTail(text, id) || isBelow(text, uri));
    const entries = await this.#read(spelled, accepts);
    if (entries.length > 0) return entries;
    return this.#read(
      folders,
      (entry) => (entry.name === text || isBelow(text, entry.uri)) && accepts(entry),
    );
  }

  /** The folders at this path below the sources: found at once, however many there are. */
  #foldersAt(path: string): readonly SkillFolder[] {
    const { sources, qualifyIds = false } = this.#options;
    if (!PATH.test(path)) return [];
    const folders = sources.flatMap(({ name, partial }) => {
      const own = path.startsWith(`${name}:`) ? path.slice(name.length + 1) : path;
      return partial?.scan(own)?.folders.filter(({ id }) => id === own) ?? [];
    });
    const areQualified = qualifyIds || folders.length > 1 || path.includes(':');
    return areQualified
      ? folders.map((folder) => ({ ...folder, id: `${folder.source}:${folder.id}` }))
      : folders;
  }

  /** None where the look takes too long. */
  async #folders(): Promise<readonly SkillFolder[]> {
    const { now, sources, qualifyIds } = this.#options;
    const started = now();
    if (this.#looked !== null && started < this.#looked.until) return this.#looked.folders;
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(LOOK_MS)]);
    const folders = readCatalog(sources, signal, qualifyIds).then(
      (catalog) => catalog.folders,
      () => [],
    );
    const looked = { folders, until: Number.POSITIVE_INFINITY };
    this.#looked = looked;
    await folders;
    looked.until = now() + (now() - started) * (1 / SHARE - 1);
    return folders;
  }

  async #read(folders: readonly SkillFolder[], accepts: Accepts): Promise<CatalogEntry[]> {
    const { now } = this.#options;
    const started = now();
    const { readDocument } = await import('../search/passages/document.ts');
    const yieldTurn = takeTurns();
    const entries: CatalogEntry[] = [];
    for (const folder of folders) {
      if (now() - started > LOOK_MS || this.#closing.aborted) break;
      await yieldTurn();
      // Made by `entryOf`.
      const entry = readDocument(folder).document?.payload as CatalogEntry | undefined;
      if (entry !== undefined && accepts(entry)) entries.push(entry);
    }
    return entries;
  }
}

/** A relative path without `.` and `..`, after the name of a source or not. */
const PATH = /^(?!\.{0,2}(?:\/|$))(?!.*\/\.{0,2}(?:\/|$))[^\\\0]{1,500}$/;

/** Whether the id is this text or ends with its segments. */
const isTail = (text: string, id: string) =>
  id === text || (id.endsWith(text) && /[/:]$/.test(id.slice(0, -text.length)));

/** Whether the address is that of the skill, of its folder or of a file in it. */
const isBelow = (address: string, uri: string) => `${address}/`.startsWith(uri.replace(/[^/]*$/, ''));
