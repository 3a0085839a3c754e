/**
 * Tells which paths below the roots changed. Only a hint where to look again: what changed is found by a scan, and
 * what a file system does not report, or reports too fast, is found by the next whole scan.
 */

import { readFileSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { WatchedTree } from './watched-tree.ts';

export interface Watcher {
  close(): void;
}

export interface WatchOptions {
  /** Absolute paths that changed since the last call; null where they cannot be told, so that anything may have. */
  readonly onChange: (paths: readonly string[] | null) => void;
  /** Nothing is watched any more: the system refused (too many directories, say). Told once. */
  readonly onEnd?: (error: Error) => void;
  /** Directories that may be watched where each takes a watch of its own. Default: a quarter of the user's. */
  readonly limit?: number;
}

/** Silence after a change before it is told, ms: an editor's or git's writes come in bursts. */
const SETTLE_MS = 200;
/** A burst is told after this time, ms, even if it goes on. */
const LONGEST_BURST_MS = 2_000;
/** More changed paths than this are a checkout, of which a whole scan is made. */
const MOST_PATHS = 1_000;
/** No watch tells that a root was made, replaced, or led elsewhere by a link: it is looked at this often, ms. */
const ROOT_INTERVAL_MS = 1_000;
/** Other programs watch, too. */
const SHARE_OF_WATCHES = 0.25;
/** What Linux grants a user unless it says otherwise. */
const USUAL_WATCHES = 8_192;

/** Resolves once changes are being watched, or `onEnd` was called. */
export async function watchRoots(
  roots: readonly string[],
  { onChange, onEnd = () => {}, limit = grantedWatches() }: WatchOptions,
): Promise<Watcher> {
  let changed: Set<string> | null = new Set();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let begun: number | null = null;
  const tell = () => {
    const paths = changed === null ? null : [...changed];
    changed = new Set();
    begun = null;
    onChange(paths);
  };
  const note = (path: string | null) => {
    if (closed) return;
    if (path === null || changed?.size === MOST_PATHS) changed = null;
    else changed?.add(path);
    clearTimeout(timer);
    begun ??= performance.now();
    timer = setTimeout(tell, Math.min(SETTLE_MS, Math.max(0, begun + LONGEST_BURST_MS - performance.now())));
  };
  const places: Place[] = [];
  let looking: NodeJS.Timeout | undefined;
  const close = () => {
    closed = true;
    clearTimeout(timer);
    clearInterval(looking);
    for (const { tree } of places.splice(0)) tree.close();
  };
  const end = (error: Error) => {
    if (closed) return;
    close();
    onEnd(error);
  };
  const budget = { limit, left: limit };
  const treeOf = () => new WatchedTree({ onChange: note, onError: end, budget });
  for (const given of roots) {
    if (closed) break;
    const root = resolve(given);
    const place = { root, stats: statsOf(root), tree: treeOf() };
    places.push(place);
    await place.tree.watch(root).catch(end);
  }
  const look = () => {
    for (const place of places) {
      const stats = statsOf(place.root);
      if (isSame(place.stats, stats)) continue;
      place.stats = stats;
      place.tree.close();
      place.tree = treeOf();
      // Told of once it is watched: what is saved there until then needs no notice of its own.
      place.tree.watch(place.root).then(() => note(null), end);
    }
  };
  if (!closed && roots.length > 0) looking = setInterval(look, ROOT_INTERVAL_MS).unref();
  return { close };
}

/** A root as it was when its watch began. */
interface Place {
  readonly root: string;
  stats: Stats | null;
  tree: WatchedTree;
}

function statsOf(root: string): Stats | null {
  try {
    return statSync(root);
  } catch {
    return null;
  }
}

/**
 * Whether both are one directory. A number is given anew when its directory is gone, so the time of birth counts, too.
 * Where the system tells none, that of the last change may stand for it: then what is added to a root is looked for
 * among everything, which finds the same.
 */
function isSame(a: Stats | null, b: Stats | null): boolean {
  if (a === null || b === null) return a === b;
  return a.dev === b.dev && a.ino === b.ino && a.birthtimeMs === b.birthtimeMs;
}

function grantedWatches(): number {
  try {
    return Math.floor(
      SHARE_OF_WATCHES * Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')),
    );
  } catch {
    return SHARE_OF_WATCHES * USUAL_WATCHES;
  }
}
