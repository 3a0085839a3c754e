/** Reads the configuration file, and resolves the paths of its sources. Which file that is, is `find.ts`. */

import type { Stats } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { readRegularSync } from '../../base/files/read.ts';
import { AppError } from '../app-error.ts';
import { githubShorthand } from './github-shorthand.ts';
import type { SourceConfig } from './schema.ts';

/** Size limit of a configuration, bytes: thousands of sources and rules. */
const MAX_BYTES = 16 * 2 ** 20;

/** `check` may refuse the opened file by throwing. Throws `CONFIG_UNREADABLE`. */
export function textOf(file: string, check?: (found: Stats) => void): string {
  try {
    return Buffer.from(readRegularSync(file, MAX_BYTES, check)).toString('utf8');
  } catch (cause) {
    throw new AppError('CONFIG_UNREADABLE', messageOf(cause), { cause });
  }
}

/** Expands `~/…`: settings in a client's JSON never pass through a shell. */
export const fromHome = (path: string, home: string) =>
  /^~(?=[/\\]|$)/.test(path) ? home + path.slice(1) : path;

/** The source with absolute paths; relative ones start at `folder`. */
export function absoluteSource(source: SourceConfig, folder: string, home: string): SourceConfig {
  const own = (path: string) => resolve(folder, fromHome(path, home));
  // A command on the PATH looks like a relative path.
  const ownIfRelative = (path: string) => (/^[.~]/.test(path) ? own(path) : path);
  switch (source.kind) {
    case 'local':
      return { ...source, root: own(source.root) };
    case 'archive':
      return { ...source, path: own(source.path) };
    case 'git':
      // What the entry says by itself counts before what the short form says.
      return {
        ...githubShorthand(source.url),
        ...source,
        url: githubShorthand(source.url)?.url ?? ownIfRelative(source.url),
        signedBy:
          source.signedBy &&
          ('allowedSigners' in source.signedBy
            ? { allowedSigners: own(source.signedBy.allowedSigners) }
            : { gnupgHome: own(source.signedBy.gnupgHome) }),
      };
    case 'mcp':
      return {
        ...source,
        command: source.command && ownIfRelative(source.command),
        // A sandbox does not show the configuration's folder; its own work folder is the default there.
        cwd: source.cwd !== undefined ? own(source.cwd) : source.sandbox === undefined ? folder : undefined,
      };
    case 'well-known':
      return source;
  }
}
