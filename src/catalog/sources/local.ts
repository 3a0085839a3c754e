/**
 * Skills in a directory: every folder below it that holds a SKILL.md, with the files that belong to it.
 *
 * Synchronous calls in slices: for tens of thousands of small directories they take a fifth of the time of
 * asynchronous ones, and the event loop gets its turn between slices. Files are listed and stamped, never opened.
 */

import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Source } from './source.ts';
import { Walk } from './walk.ts';

export interface LocalSourceOptions {
  readonly name: string;
  readonly root: string;
  /** Levels of directories below the root that are looked into. Default 12. */
  readonly maxDepth?: number;
}

/** The deepest of 24,849 real skills lies eleven levels below the directory of their repositories. */
const MAX_DEPTH = 12;
/** Directories listed between two turns of the event loop: about 3 ms of work. */
const SLICE_DIRECTORIES = 64;

/** A missing, unreadable or vanishing directory yields diagnostics and whatever skills could be seen. */
export function localSource({ name, root, maxDepth = MAX_DEPTH }: LocalSourceOptions): Source {
  return {
    name,
    async scan(signal) {
      signal?.throwIfAborted();
      const walk = new Walk(name, resolve(root), maxDepth);
      let listed = 0;
      while (walk.step()) {
        listed += 1;
        if (listed % SLICE_DIRECTORIES !== 0) continue;
        await setImmediate();
        signal?.throwIfAborted();
      }
      return walk.scan();
    },
  };
}
