/**
 * Watches directories for changed paths. The paths are only a hint where to scan: a whole scan finds what the file
 * system did not report, or reported too fast.
 *
 * The watcher is our own because a watched catalog may hold more directories than the system's watch limit allows: it
 * counts its watches, ends with a clear error, and leaves out the directories that a scan ignores.
 */

import { readFileSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { WatchedTree } from './watched-tree.ts';

export interface Watcher {
  /** Reports at once what the system has reported so far, instead of after a silence. Never rejects. */
  flush(): Promise<void>;
  close(): void;
}

export interface WatchOptions {
  /** Absolute paths that changed since the last call; null if they are unknown, so that anything may have changed. */
  readonly onChange: (paths: readonly string[] | null) => void;
  /** Called once if the system refuses to watch, with too many directories for example. Nothing is watched then. */
  readonly onEnd?: (error: Error) => void;
  /** Most watched directories on systems that need a watch for each. Default: half of the user's limit. */
  readonly limit?: number;
  /** Closes the watcher, also while it is being set up, which takes seconds for tens of thousands of directories. */
  readonly signal?: AbortSignal;
}

/** Changes are reported after this silence, ms: an editor's or git's writes come in bursts. */
const SETTLE_MS = 200;
/** A burst is reported after this time, ms, even if it goes on. */
const LONGEST_BURST_MS = 2_000;
/** More changed paths than this are a checkout: a whole scan is cheaper. */
const MAX_PATHS = 1_000;
/** Time between two checks of each root, ms: no watch reports that a root was created, replaced or re-linked. */
const ROOT_INTERVAL_MS = 1_000;
/** Our share of the user's watches, since other programs watch too. */
const SHARE_OF_WATCHES = 0.5;
/** The default limit of Linux for each user. */
const DEFAULT_WATCHES = 8_192;

/** Resolves once changes are being watched, or `onEnd` was called. */
export async function watchRoots(roots: readonly string[], options: WatchOptions): Promise<Watcher> {
  const watcher = new RootWatcher(options);
  options.signal?.addEventListener('abort', () => watcher.close(), { once: true });
  await watcher.start(roots.map((root) => resolve(root)));
  return watcher;
}

interface WatchedRoot {
  readonly root: string;
  /** The root's state when its watch began. */
  stats: Stats | null;
  tree: WatchedTree;
}

class RootWatcher implements Watcher {
  readonly #options: Required<Pick<WatchOptions, 'onChange' | 'onEnd'>>;
  readonly #budget: { readonly limit: number; left: number };
  readonly #roots: WatchedRoot[] = [];
  /** Changed paths not yet reported; null if they are unknown. */
  #changed: Set<string> | null = new Set();
  /** When the current burst began. */
  #burstStart: number | null = null;
  #reportTimer: NodeJS.Timeout | undefined;
  #rootTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ onChange, onEnd = () => {}, limit = grantedWatches() }: WatchOptions) {
    this.#options = { onChange, onEnd };
    this.#budget = { limit, left: limit };
  }

  async start(roots: readonly string[]): Promise<void> {
    for (const root of roots) {
      if (this.#closed) return;
      const watched = { root, stats: readStats(root), tree: this.#createTree() };
      this.#roots.push(watched);
      await watched.tree.watch(root).catch((error) => this.#end(error));
    }
    if (this.#closed || roots.length === 0) return;
    this.#rootTimer = setInterval(() => this.#checkRoots(), ROOT_INTERVAL_MS).unref();
  }

  async flush(): Promise<void> {
    await Promise.all(this.#checkRoots());
    await Promise.all(this.#roots.map(({ tree }) => tree.flush()));
    if (this.#closed || this.#burstStart === null) return;
    clearTimeout(this.#reportTimer);
    this.#report();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#reportTimer);
    clearInterval(this.#rootTimer);
    for (const { tree } of this.#roots.splice(0)) tree.close();
  }

  #createTree(): WatchedTree {
    return new WatchedTree({
      onChange: (path) => this.#add(path),
      onError: (error) => this.#end(error),
      budget: this.#budget,
    });
  }

  #end(error: Error): void {
    if (this.#closed) return;
    this.close();
    this.#options.onEnd(error);
  }

  #add(path: string | null): void {
    if (this.#closed) return;
    if (path === null || this.#changed?.size === MAX_PATHS) this.#changed = null;
    else this.#changed?.add(path);
    clearTimeout(this.#reportTimer);
    const now = performance.now();
    this.#burstStart ??= now;
    const burstLeft = Math.max(0, this.#burstStart + LONGEST_BURST_MS - now);
    this.#reportTimer = setTimeout(() => this.#report(), Math.min(SETTLE_MS, burstLeft));
  }

  #report(): void {
    const paths = this.#changed === null ? null : [...this.#changed];
    this.#changed = new Set();
    this.#burstStart = null;
    this.#options.onChange(paths);
  }

  /** Watches roots that were created or replaced; each promise resolves once the root is watched. */
  #checkRoots(): Promise<void>[] {
    return this.#roots.flatMap((watched) => {
      const stats = readStats(watched.root);
      if (isSame(watched.stats, stats)) return [];
      watched.stats = stats;
      watched.tree.close();
      watched.tree = this.#createTree();
      // Reported once the new root is watched, so that no change in between is missed.
      return watched.tree.watch(watched.root).then(
        () => this.#add(null),
        (error) => this.#end(error),
      );
    });
  }
}

function readStats(root: string): Stats | null {
  try {
    return statSync(root, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/**
 * Whether both are one directory. Inode numbers are reused, so the birth time counts too. Some systems give the last
 * change as birth time: then a change in a root causes a whole scan, which finds the same.
 */
function isSame(a: Stats | null, b: Stats | null): boolean {
  if (a === null || b === null) return a === b;
  return a.dev === b.dev && a.ino === b.ino && a.birthtimeMs === b.birthtimeMs;
}

function grantedWatches(): number {
  try {
    // A file of the kernel says that it has no bytes.
    return Math.floor(
      SHARE_OF_WATCHES * Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')),
    );
  } catch {
    return SHARE_OF_WATCHES * DEFAULT_WATCHES;
  }
}
