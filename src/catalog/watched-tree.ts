/**
 * One directory tree being watched: by one watch where the system watches whole trees (macOS, Windows), else by one a
 * directory, which is a hundredth of what a watch a file costs. What a scan leaves out is left out here.
 */

import { type Dirent, type FSWatcher, lstatSync, readdirSync, statSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { realPathOf } from './real-path.ts';
import { isIgnoredDirectory } from './sources/walk.ts';

export interface TreeOptions {
  /** An absolute path below the root that changed; null where what changed shows elsewhere, too. */
  readonly onChange: (path: string | null) => void;
  /** The system watches no more. */
  readonly onError: (error: Error) => void;
  /** Watches that may be taken in all, and those left; counted down with each, and up again. */
  readonly budget: { readonly limit: number; left: number };
}

/** A directory with those in it by name. */
interface Watched {
  /** Null where a watch above covers it. */
  readonly watcher: FSWatcher | null;
  readonly below: Map<string, Watched>;
  ended: boolean;
}

/** As deep as a scan looks. */
const DEPTH = 13;
/** Directories looked into between two turns of the event loop: a few ms. */
const SLICE = 64;
const WHOLE_TREES = process.platform === 'darwin' || process.platform === 'win32';

export class WatchedTree {
  readonly #options: TreeOptions;
  /** Real paths of directories that links lead to: each is followed once. */
  readonly #followed = new Set<string>();
  #top: Watched | null = null;
  /** True once a link was met by which a change in one place shows in another. */
  #linked = false;
  #closed = false;
  #looked = 0;

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  /** Resolves once the whole tree is watched. One that does not exist is not. */
  async watch(root: string): Promise<void> {
    this.#top = await this.#add(root, 0, true);
    if (this.#closed) this.close();
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
    // Watched before it is listed: what is added meanwhile is told of.
    if (watched !== null) await this.#addBelow(watched, path, depth);
    return watched;
  }

  #open(path: string, depth: number, isTop: boolean): Watched | null {
    const below = new Map<string, Watched>();
    if (WHOLE_TREES && !isTop) return { watcher: null, below, ended: false };
    const { budget, onError } = this.#options;
    try {
      if (budget.left < 1) {
        const share =
          'Raise fs.inotify.max_user_watches, of which a quarter is taken, or give fewer directories.';
        throw new Error(`There are more than the ${budget.limit} directories that may be watched. ${share}`);
      }
      const watcher = watch(path, { persistent: false, recursive: WHOLE_TREES });
      budget.left -= 1;
      const watched: Watched = { watcher, below, ended: false };
      watcher.on('change', (_, name) => this.#changed(watched, path, depth, String(name)));
      // A directory that goes away is told of by the watch above.
      watcher.on('error', () => {});
      return watched;
    } catch (error) {
      if (!isUnreadable(error)) onError(refusalOf(error));
      return null;
    }
  }

  async #addBelow(watched: Watched, path: string, depth: number): Promise<void> {
    for (const entry of entriesOf(path)) {
      const { name } = entry;
      const at = path + sep + name;
      if (watched.below.has(name)) continue;
      if (entry.isSymbolicLink()) {
        if (this.#follows(at, name)) this.#put(watched, name, await this.#add(at, depth + 1, true));
      } else if (entry.isDirectory() && !isIgnoredDirectory(name)) {
        this.#looked += 1;
        if (this.#looked % SLICE === 0) await setImmediate();
        this.#put(watched, name, await this.#add(at, depth + 1));
      }
      if (this.#closed || watched.ended) return;
    }
  }

  #put(watched: Watched, name: string, added: Watched | null): void {
    const before = watched.below.get(name);
    if (before !== undefined) this.#end(before);
    watched.below.delete(name);
    if (added === null) return;
    if (this.#closed || watched.ended) this.#end(added);
    else watched.below.set(name, added);
  }

  /** Whether a link leads to a directory that is to be watched. From then on no single path says all that changed. */
  #follows(link: string, name: string): boolean {
    const target = realPathOf(link);
    const isDirectory =
      target !== null && statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isDirectory || target === null || name.toLowerCase() === 'skill.md') this.#linked = true;
    if (!isDirectory || this.#followed.has(target)) return false;
    this.#followed.add(target);
    return true;
  }

  #changed(watched: Watched, path: string, depth: number, name: string): void {
    if (this.#closed || watched.ended || name.split(sep).some(isIgnoredDirectory)) return;
    const at = join(path, name);
    const entry = statOf(at);
    const leads = entry?.isDirectory() || (entry?.isSymbolicLink() && this.#follows(at, name));
    this.#tell(at);
    if (WHOLE_TREES) return;
    // A directory of the same name may be another one: it is watched anew, and told of once more when it is.
    this.#put(watched, name, null);
    if (!leads) return;
    void this.#add(at, depth + 1, true).then((added) => {
      this.#put(watched, name, added);
      if (added !== null && !this.#closed) this.#tell(at);
    });
  }

  #tell(path: string): void {
    this.#options.onChange(this.#linked ? null : path);
  }

  #end(watched: Watched): void {
    if (watched.ended) return;
    watched.ended = true;
    if (watched.watcher !== null) this.#options.budget.left += 1;
    watched.watcher?.close();
    for (const inner of watched.below.values()) this.#end(inner);
    watched.below.clear();
  }
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What the system said of its limits, with what to do. */
function refusalOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = 'code' in error ? error.code : null;
  const setting = code === 'ENOSPC' ? 'max_user_watches' : code === 'EMFILE' ? 'max_user_instances' : null;
  if (setting === null) return error;
  const message = `This and other programs watch as much as the system allows (${code}). Raise fs.inotify.${setting}.`;
  return new Error(message, { cause: error });
}

/** Gone since it was listed, a link to a file, or not ours to read: a scan sees no more of it either. */
const isUnreadable = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(?:ENOENT|ENOTDIR|EACCES|EPERM)$/.test(String(error.code));
