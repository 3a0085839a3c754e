/** Keeps compiled code, so that the next start compiles nothing of what a command loads. */

import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { COMPILED, userCacheFolder } from '../app/cache.ts';
import { packageVersion } from '../app/package-root.ts';

/** In the user's own folder of caches. Before Node.js 22.1 there is no such function; where nothing can be written it does nothing. */
export function keepCompiledCode(): void {
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')
    nodeModule.enableCompileCache(
      join(userCacheFolder({ home: homedir(), env: process.env }), COMPILED, packageVersion()),
    );
}
