/** Where the folder of caches is, and that something in it is used. `clean-cache.ts` removes what is not. */

import { utimesSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { ProcessEnvironment } from './configured.ts';

/** In the folder of an index or a copy: its time of modification is the last use. */
export const USED = 'used';
/** In the folder of caches: a folder of compiled code for each version of the program; it is used when it is written. */
export const COMPILED = 'compiled';

/** The XDG specification ignores relative and empty paths. */
export const userCacheFolder = ({
  home,
  env: { XDG_CACHE_HOME: folder = '' },
}: Pick<ProcessEnvironment, 'home' | 'env'>) =>
  join(isAbsolute(folder) ? folder : join(home, '.cache'), 'skillgate');

/** Records that an index or a copy is used now. Does nothing where there is no folder, or the disk refuses. */
export function recordUse(folder: string, now: Date): void {
  const file = join(folder, USED);
  try {
    writeFileSync(file, '');
    utimesSync(file, now, now);
  } catch {
    // A cache that cannot be written is used all the same.
  }
}
