/**
 * Watches one directory tree: with one watch on systems that watch whole trees (macOS, Windows), else with one for each
 * directory, which is far cheaper than one for each file. Directories that a scan ignores are ignored here too.
 */

import { type Dirent, type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../../base/errors.ts';
import { isIgnoredDirectory } from '../source.ts';
import { findRealPath, holdsSkill, isDirectory, leadsOutside } from './real-path.ts';

export interface TreeOptions {
  /** An absolute path below the root that changed; null if, because of links, other paths may have changed too. */
  readonly onChange: (path: string | null) => void;
  /** The system refuses to watch. */
  readonly onError: (error: Error) => void;
  /** Watches allowed in total, and those left. Shared by all trees. */
  readonly budget: { readonly limit: number; left: number };
}

/** A watched directory. There are tens of thousands of them, so each takes little memory. */
interface Watched {
  readonly path: string;
  readonly depth: number;
  /** Null if a watch above covers it, or while it is closed after a flood. */
  watcher: FSWatcher | null;
  /** Watched subdirectories by name; null until there is one. */
  below: Map<string, Watched> | null;
  ended: boolean;
}

/** Changes in a directory that are still to be looked at. */
interface Pending {
  /** Of changed entries. */
  readonly names: Set<string>;
  events: number;
}

/** Levels of directories, as many as a scan looks at. */
const DEPTH = 13;
/** Changes of one entry within this time are looked at once, ms: a writer may rename thousands of times a second. */
const COALESCE_MS = 50;
/**
 * Events of one directory between two looks that close its watch until the next one. The system hands them over without
 * a pause for as long as new ones come, so a fast writer would otherwise keep this process busy.
 */
const FLOOD = 500;
/** Looking at changes takes at most a quarter of the time, however many there are. */
const REST = 3;
/** Directories listed between two turns of the event loop: a few ms. */
const SLICE = 64;
const WHOLE_TREES = process.platform === 'darwin' || process.platform === 'win32';

export class WatchedTree {
  readonly #options: TreeOptions;
  /** Real paths of linked directories: each is followed once. */
  readonly #followed = new Set<string>();
  #root = '';
  #top: Watched | null = null;
  /** True of a file, and once a link was found, so that a change at one path may show at another. */
  #linked = false;
  #closed = false;
  #listed = 0;
  #pending = new Map<Watched, Pending>();
  /** True while a look at them is planned or under way. */
  #looking = false;
  /** The look that is under way, or the last one. */
  #look: Promise<void> = Promise.resolve();
  /** Before this time, on the clock of `performance.now`, no call makes the next look earlier. */
  #restUntil = 0;

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  /** Resolves once the whole tree is watched. A missing tree is not watched. A single file is no place in a catalog. */
  async watch(root: string): Promise<void> {
    this.#root = root;
    this.#linked = !isDirectory(root);
    this.#top = await this.#add(root, 0, true);
    if (this.#closed) this.close();
  }

  /** Looks at once at what the system has reported, if anything, unless the last looks took too much time. */
  async flush(): Promise<void> {
    if (!this.#looking) return;
    await this.#look;
    if (this.#pending.size > 0 && performance.now() >= this.#restUntil) await this.#lookAtPending();
  }

  close(): void {
    this.#closed = true;
    if (this.#top !== null) this.#end(this.#top);
    this.#top = null;
  }

  /** `isTop`: no watch above covers it. */
  async #add(path: string, depth: number, isTop = false): Promise<Watched | null> {
    if (this.#closed || depth > DEPTH) return null;
    const watched = this.#open(path, depth, isTop);
    // Watched before it is listed, so that entries added meanwhile are reported.
    if (watched !== null) await this.#addBelow(watched);
    return watched;
  }

  #open(path: string, depth: number, isTop: boolean): Watched | null {
    const watched: Watched = { path, depth, watcher: null, below: null, ended: false };
    if (WHOLE_TREES && !isTop) return watched;
    const { budget, onError } = this.#options;
    try {
      if (budget.left < 1) {
        const share = 'Raise fs.inotify.max_user_watches, of which half is used, or give fewer directories.';
        throw new Error(`There are more than the ${budget.limit} directories that may be watched. ${share}`);
      }
      this.#listen(watched);
      return watched;
    } catch (error) {
      if (!isUnreadable(error)) onError(toWatchError(error));
      return null;
    }
  }

  /** Throws what the system refuses with. */
  #listen(watched: Watched): void {
    const watcher = watch(watched.path, { persistent: false, recursive: WHOLE_TREES });
    this.#options.budget.left -= 1;
    watched.watcher = watcher;
    watcher.on('change', (_, name) => this.#note(watched, String(name)));
    // The watch above reports that a directory is gone.
    watcher.on('error', ignore);
  }

  #silence(watched: Watched): void {
    if (watched.watcher === null) return;
    this.#options.budget.left += 1;
    watched.watcher.close();
    watched.watcher = null;
  }

  async #addBelow(watched: Watched): Promise<void> {
    const { path, depth } = watched;
    for (const entry of readEntries(path)) {
      const { name } = entry;
      const at = path + sep + name;
      if (watched.below?.has(name)) continue;
      if (entry.isSymbolicLink()) {
        if (this.#shouldFollow(at, depth)) this.#put(watched, name, await this.#add(at, depth + 1, true));
      } else if (entry.isDirectory() && !isIgnoredDirectory(name)) {
        this.#listed += 1;
        if (this.#listed % SLICE === 0) await setImmediate();
        this.#put(watched, name, await this.#add(at, depth + 1));
      }
      if (this.#closed || watched.ended) return;
    }
  }

  #put(watched: Watched, name: string, added: Watched | null): void {
    const before = watched.below?.get(name);
    if (before !== undefined) this.#end(before);
    watched.below?.delete(name);
    if (added === null) return;
    if (this.#closed || watched.ended) this.#end(added);
    else {
      watched.below ??= new Map();
      watched.below.set(name, added);
    }
  }

  /**
   * Whether a link leads to a directory that a scan reads, and so must be watched. After that, single paths no longer cover
   * all changes.
   */
  #shouldFollow(link: string, depth: number): boolean {
    const target = findRealPath(link);
    const isFolder = target !== null && isDirectory(target);
    if (isFolder || target === null || basename(link).toLowerCase() === 'skill.md') this.#linked = true;
    if (!isFolder || this.#followed.has(target)) return false;
    if (leadsOutside(this.#root, target) && !(depth === 0 && holdsSkill(target))) return false;
    this.#followed.add(target);
    return true;
  }

  #note(watched: Watched, name: string): void {
    if (this.#closed || watched.ended || watched.watcher === null) return;
    const pending = this.#pending.get(watched) ?? { names: new Set(), events: 0 };
    pending.events += 1;
    if (!pending.names.has(name)) {
      if (name.split(sep).some(isIgnoredDirectory)) return;
      pending.names.add(name);
      this.#pending.set(watched, pending);
      if (!this.#looking) this.#plan(COALESCE_MS);
    }
    if (pending.events === FLOOD) this.#silence(watched);
  }

  #plan(afterMs: number): void {
    this.#looking = true;
    setTimeout(() => void this.#lookAtPending(), afterMs).unref();
  }

  /** One look at a time. */
  #lookAtPending(): Promise<void> {
    this.#look = this.#look.then(() => this.#lookOnce());
    return this.#look;
  }

  /** Looks at the pending changes, a slice between two turns of the event loop, and plans a look at those that came meanwhile. */
  async #lookOnce(): Promise<void> {
    const start = performance.now();
    const batch = this.#pending;
    this.#pending = new Map();
    let looked = 0;
    for (const [watched, { names }] of batch) {
      if (watched.watcher === null) this.#listenAgain(watched, names);
      for (const name of names) {
        if (this.#closed) return;
        looked += 1;
        if (looked % SLICE === 0) await setImmediate();
        await this.#changed(watched, name);
      }
    }
    const restMs = REST * (performance.now() - start);
    this.#restUntil = performance.now() + restMs;
    if (this.#pending.size === 0) this.#looking = false;
    else this.#plan(Math.max(COALESCE_MS, restMs));
  }

  /** After a flood anything in the directory may have changed: it is reported, and its directories are looked at. */
  #listenAgain(watched: Watched, names: Set<string>): void {
    if (this.#closed || watched.ended) return;
    try {
      this.#listen(watched);
    } catch (error) {
      if (!isUnreadable(error)) this.#options.onError(toWatchError(error));
    }
    for (const name of watched.below?.keys() ?? []) names.add(name);
    for (const entry of readEntries(watched.path))
      if (!entry.isFile() && !isIgnoredDirectory(entry.name)) names.add(entry.name);
    this.#report(watched.path);
  }

  async #changed(watched: Watched, name: string): Promise<void> {
    if (watched.ended) return;
    const { path, depth } = watched;
    const at = join(path, name);
    const entry = readStat(at);
    const isFolder = entry?.isDirectory() || (entry?.isSymbolicLink() && this.#shouldFollow(at, depth));
    this.#report(at);
    if (WHOLE_TREES) return;
    // It may be a new directory of the same name: watch it again, and report it again once it is watched.
    this.#put(watched, name, null);
    if (!isFolder) return;
    const added = await this.#add(at, depth + 1, true);
    this.#put(watched, name, added);
    if (added !== null && !this.#closed) this.#report(at);
  }

  #report(path: string): void {
    this.#options.onChange(this.#linked ? null : path);
  }

  #end(watched: Watched): void {
    if (watched.ended) return;
    watched.ended = true;
    this.#silence(watched);
    for (const inner of watched.below?.values() ?? []) this.#end(inner);
    watched.below = null;
  }
}

const ignore = () => {};

function readEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readStat(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The system's error; for its watch limits with what to do. */
function toWatchError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = systemCode(error);
  const setting = code === 'ENOSPC' ? 'max_user_watches' : code === 'EMFILE' ? 'max_user_instances' : null;
  if (setting === null) return error;
  const message = `This and other programs use all watches that the system allows (${code}). Raise fs.inotify.${setting}.`;
  return new Error(message, { cause: error });
}

/** Gone since it was listed, a link to a file, or not readable: a scan sees no more of it either. */
const isUnreadable = (error: unknown) => /^(?:ENOENT|ENOTDIR|EACCES|EPERM)$/.test(systemCode(error) ?? '');
