/**
 * Skills in a directory: every folder below it with a SKILL.md, and the files that belong to it.
 *
 * It uses synchronous calls, with turns of the event loop between directories: for tens of thousands of small
 * directories they are several times faster than asynchronous calls. Files are listed and stamped, never opened.
 */

import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { takeTurns } from '../base/timing.ts';
import { diagnose } from '../skills/diagnostics.ts';
import { findRealPath, isNothing } from './scan/real-path.ts';
import { type Links, MAX_DEPTH, Walk, type WalkOptions } from './scan/walk.ts';
import type { Scan, Source } from './source.ts';
import { isIgnoredDirectory } from './source.ts';

export interface LocalSourceOptions {
  readonly name: string;
  readonly root: string;
  /** True if it is no error that the root is missing. Default false. */
  readonly optional?: boolean;
  /** Which symbolic links are followed. Default `follow`. */
  readonly links?: Links;
  /** Absolute: neither the root nor a link may lead out of this folder. Default: anywhere. */
  readonly within?: string | undefined;
  /** What was not understood of the root: it is reported instead of scanned. */
  readonly remark?: string | undefined;
  readonly requests?: string | undefined;
}

/** Most directories of a partial scan, which runs without a turn of the event loop: about 20 ms. */
const PART_DIRECTORIES = 512;
const NOTHING: Scan = { folders: [], diagnostics: [] };

/** A missing, unreadable or vanishing directory yields diagnostics and the skills that could be found. */
export function localSource({ name, root: given, ...options }: LocalSourceOptions): Source {
  const root = resolve(given);
  const { optional = false, links = 'follow', within, remark, requests } = options;
  if (remark !== undefined) return remarked(name, remark);
  const scanAll = async (at: string, signal?: AbortSignal) => {
    const walk = new Walk(name, at, { links, within });
    const yieldTurn = takeTurns();
    while (walk.step()) {
      await yieldTurn();
      signal?.throwIfAborted();
    }
    return walk.scan();
  };
  return {
    name,
    requests,
    async scan(signal) {
      signal?.throwIfAborted();
      if (optional && isNothing(root)) return NOTHING;
      return scanAll(root, signal);
    },
    async filesOf(folder) {
      if (links === 'none' && !isBelow(root, folder)) return [];
      const { folders } = await scanAll(folder);
      return folders.find((found) => found.folder === folder)?.files ?? [];
    },
    partial: { root, scan: (start) => scanPart(name, root, { links, within, start }) },
  };
}

const remarked = (name: string, message: string): Source => ({
  name,
  scan: async () => ({
    folders: [],
    diagnostics: [
      diagnose('plugin-layout', '.', message, {
        fix: 'Name the folders of its skills in `skills` of .claude-plugin/plugin.json, or as a source of their own.',
      }),
    ],
  }),
  filesOf: async () => [],
});

/** Whether the folder lies in the root, as it is now. */
function isBelow(root: string, folder: string): boolean {
  const real = findRealPath(root);
  return real !== null && (folder === real || folder.startsWith(real.endsWith(sep) ? real : real + sep));
}

function scanPart(
  name: string,
  root: string,
  options: WalkOptions & { readonly start: string },
): Scan | null {
  const { start } = options;
  const parts = start.split('/');
  if (parts.length > MAX_DEPTH || parts.some(isIgnoredDirectory)) return NOTHING;
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
