/** Watches the folders of a library. */

import { setTimeout } from 'node:timers/promises';
import type { Library } from '../catalog/library.ts';
import { leadsOutOf } from '../sources/scan/real-path.ts';
import type { NamedRoot } from '../sources/scan/roots.ts';
import { watchRoots } from '../sources/scan/watch.ts';

/** Delay of the file watch after the library opens, ms: the first call is answered before. */
const WATCH_AFTER_MS = 1_000;

/** With or without an index. Returns how to stop. */
export async function watch(
  library: Library,
  roots: readonly NamedRoot[],
  log: (message: string) => void,
  ending: AbortSignal,
): Promise<() => void> {
  const paths = roots.flatMap(({ root, within }) =>
    within !== undefined && leadsOutOf(within, root) ? [] : root,
  );
  if (paths.length === 0) return () => {};
  library.watcherStarting();
  await setTimeout(WATCH_AFTER_MS, undefined, { signal: ending });
  let lost = false;
  const watcher = await watchRoots(paths, {
    signal: ending,
    onChange: (changed) => library.notice(changed),
    onEnd(error) {
      lost = true;
      library.watcherLost();
      log(
        `The skill folders are not watched: ${error.message} They are checked between calls instead, which finds a change in a large catalog later.`,
      );
    },
  });
  if (!lost && !ending.aborted) library.watcherReady();
  return () => watcher.close();
}
