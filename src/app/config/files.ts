/** Reads the configuration file, and resolves the paths of its sources. Which file that is, is `find.ts`. */

import type { Stats } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage } from '../../base/errors.ts';
import { readInside, readRegularSync } from '../../base/files/read.ts';
import { defined } from '../../base/json.ts';
import { AppError } from '../app-error.ts';
import { gitAddress } from './git-address.ts';
import type { SourceConfig } from './schema.ts';

/** Size limit of a configuration, bytes: thousands of sources and rules. */
const MAX_BYTES = 16 * 2 ** 20;

/** A file that the user names or has at home. Throws `CONFIG_UNREADABLE`. */
export const readConfigFile = (file: string): string => asText(() => readRegularSync(file, MAX_BYTES));

/** A project's file, which lies in its folder. `check` may refuse the opened file by throwing. Throws `CONFIG_UNREADABLE`. */
export const textInside = (folder: string, file: string, check: (found: Stats) => void): string =>
  asText(() => readInside(folder, file, { maxBytes: MAX_BYTES, check }));

function asText(read: () => Uint8Array): string {
  try {
    return Buffer.from(read()).toString('utf8');
  } catch (cause) {
    throw new AppError('CONFIG_UNREADABLE', errorMessage(cause), { cause });
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
    case 'git': {
      // What the entry says by itself counts before what its address says.
      const { url = ownIfRelative(source.url), ref, folder: below } = gitAddress(source.url) ?? {};
      return {
        ...defined({ ref, folder: below }),
        ...source,
        url,
        signedBy:
          source.signedBy &&
          ('allowedSigners' in source.signedBy
            ? { allowedSigners: own(source.signedBy.allowedSigners) }
            : { gnupgHome: own(source.signedBy.gnupgHome) }),
      };
    }
    case 'mcp':
      return {
        ...source,
        command: source.command && ownIfRelative(source.command),
        cwd: source.cwd === undefined ? folder : own(source.cwd),
      };
    case 'well-known':
      return source;
  }
}
