/** `skillgate cache`, `skillgate cache clean`: the folder of caches with its sizes, and removing what is unused. */

import { userCacheFolder } from '../../app/cache.ts';
import { cacheContents, removeUnused, UNUSED_MS } from '../../app/clean-cache.ts';
import { processEnvironment } from '../../app/configured.ts';
import { ageText } from '../../sources/refresh.ts';
import { print, printReport } from '../output.ts';

interface CacheOptions {
  readonly json?: boolean;
}

const cacheFolder = () => userCacheFolder(processEnvironment());

export function list({ json }: CacheOptions): void {
  const contents = cacheContents(cacheFolder());
  if (json === true) {
    printReport(contents);
    return;
  }
  for (const { name, bytes, usedAt } of contents.entries) {
    const age = usedAt === null ? '' : `, used ${ageText(Date.now() - usedAt.getTime())} ago`;
    print(`${name}  ${megabytes(bytes)}${age}`);
  }
  print(`${megabytes(contents.bytes)} in ${contents.folder}`);
}

/** Removes what was not used for 60 days; see `removeUnused`. */
export async function clean({ json }: CacheOptions): Promise<void> {
  const removed = await removeUnused(cacheFolder(), new Date(Date.now() - UNUSED_MS));
  if (json === true) printReport({ removed });
  else if (removed.length === 0) print('Everything was used in the last 60 days.');
  else print(`Removed ${removed.join(', ')}.`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
