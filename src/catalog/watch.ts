/**
 * Tells when something below the roots changes. Only a hint to look again: what changed is found by a scan, and a
 * change that a file system does not report is found by the next scan on demand.
 */

import { basename, resolve } from 'node:path';
import { isIgnoredDirectory } from './sources/walk.ts';

export interface Watcher {
  close(): Promise<void>;
}

/** Silence after a change before it is told, ms: an editor's or git's writes come in bursts. */
const SETTLE_MS = 200;
/** As deep as a scan looks. */
const WATCHED_DEPTH = 13;

/**
 * Resolves once changes are being watched. `onChange` is called after each burst; `onError` where the system
 * refuses to watch more (such as too many directories), after which changes may go unnoticed.
 */
export async function watchRoots(
  roots: readonly string[],
  onChange: () => void,
  onError: (error: unknown) => void = () => {},
): Promise<Watcher> {
  // Where there is nothing to watch, chokidar never becomes ready.
  if (roots.length === 0) return { close: async () => {} };
  const { watch } = await import('chokidar');
  const own = new Set(roots.map((root) => resolve(root)));
  const watcher = watch([...own], {
    ignoreInitial: true,
    ignorePermissionErrors: true,
    depth: WATCHED_DEPTH,
    ignored: (path) => !own.has(resolve(path)) && isIgnoredDirectory(basename(path)),
  });
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
  });
  watcher.on('error', onError);
  await new Promise<void>((ready) => watcher.once('ready', ready));
  return {
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
