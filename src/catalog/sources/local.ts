/**
 * Skills in a directory: every folder below it that holds a SKILL.md, with the files that belong to it.
 *
 * Synchronous calls in slices: for tens of thousands of small directories they take a fifth of the time of
 * asynchronous ones, and the event loop gets its turn between slices. Files are listed and stamped, never opened.
 */

import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isNothing } from '../real-path.ts';
import type { Scan, Source } from './source.ts';
import { isIgnoredDirectory, Walk, type WalkOptions } from './walk.ts';

export interface LocalSourceOptions {
  readonly name: string;
  readonly root: string;
  /** Nothing is amiss while there is nothing at the root. Default false. */
  readonly awaited?: boolean;
  /** Levels of directories below the root that are looked into. Default 12. */
  readonly maxDepth?: number;
  /** Directories without a skill from which a scan says so. Default 10,000: listing them takes some 100 ms. */
  readonly manyBarren?: number;
}

/** The deepest of 24,849 real skills lies eleven levels below the directory of their repositories. */
const MAX_DEPTH = 12;
const MANY_BARREN = 10_000;
/** Directories listed between two turns of the event loop: about 3 ms of work. */
const SLICE_DIRECTORIES = 64;
/** Directories of a part at most: it is scanned in one go, some 20 ms. */
const PART_DIRECTORIES = 512;
const NOTHING: Scan = { folders: [], diagnostics: [] };

/** A missing, unreadable or vanishing directory yields diagnostics and whatever skills could be seen. */
export function localSource({ name, root: given, ...options }: LocalSourceOptions): Source {
  const root = resolve(given);
  const { awaited = false, maxDepth = MAX_DEPTH, manyBarren = MANY_BARREN } = options;
  return {
    name,
    async scan(signal) {
      signal?.throwIfAborted();
      if (awaited && isNothing(root)) return NOTHING;
      const walk = new Walk(name, root, { maxDepth, manyBarren });
      let listed = 0;
      while (walk.step()) {
        listed += 1;
        if (listed % SLICE_DIRECTORIES !== 0) continue;
        await setImmediate();
        signal?.throwIfAborted();
      }
      return walk.scan();
    },
    partial: { root, scan: (start) => scanPart(name, root, { maxDepth, manyBarren, start }) },
  };
}

function scanPart(
  name: string,
  root: string,
  options: WalkOptions & { readonly start: string },
): Scan | null {
  const { start, maxDepth } = options;
  const parts = start.split('/');
  if (parts.length > maxDepth || parts.some(isIgnoredDirectory)) return NOTHING;
  try {
    const real = realpathSync(root);
    const at = join(real, start);
    const entry = lstatSync(at, { throwIfNoEntry: false });
    if (entry === undefined || entry.isFile()) return NOTHING;
    if (!entry.isDirectory() || realpathSync(at) !== at) return null;
  } catch {
    return null;
  }
  const walk = new Walk(name, root, options);
  for (let listed = 0; walk.step(); listed += 1) if (listed === PART_DIRECTORIES || walk.linked) return null;
  return walk.linked ? null : walk.scan();
}
