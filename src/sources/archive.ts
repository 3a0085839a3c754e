/** Skills in an archive on disk: a .zip, .tar, .tar.gz or .tgz. It is unpacked again when the file changes. */

import { lstat, realpath } from 'node:fs/promises';
import { messageOf, systemCodeOf } from '../errors/public.ts';
import { unpack } from './archive/unpack.ts';
import { CachedSource } from './cached-source.ts';
import { FetchError } from './errors.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import { subfolderOf } from './store/paths.ts';

export interface ArchiveSourceOptions extends FetchOptions {
  /** Absolute. */
  readonly path: string;
  /** Sub-folder with the skills. */
  readonly folder?: string;
}

export function archiveSource(options: ArchiveSourceOptions): FetchedSource {
  const { path, folder } = options;
  return new CachedSource(options, {
    kind: 'archive',
    origin: path,
    key: [path, folder ?? ''],
    secrets: [],
    async fetch(incoming) {
      const inside = subfolderOf(folder);
      const before = await fileVersionOf(path);
      if (incoming.last !== null && incoming.last.memory.fileVersion === before) return null;
      const files = await unpack(path, incoming, { folder: inside });
      if ((await fileVersionOf(path)) !== before) {
        throw new FetchError(
          'FETCH_INVALID',
          'The archive changed while it was read. The next refresh reads it again.',
        );
      }
      for (const [at, file] of files) incoming.add(at, file);
      return incoming.finish({ fileVersion: before });
    },
  });
}

/** Changes whenever the file is written or replaced. */
async function fileVersionOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => path);
  const stats = await lstat(real, { bigint: true }).catch((cause: unknown) => {
    const reason = systemCodeOf(cause) ?? messageOf(cause);
    const message = `The archive ${path} cannot be found (${reason}): put it there, or give another path.`;
    throw new FetchError('FETCH_UNREACHABLE', message, { cause });
  });
  if (!stats.isFile())
    throw new FetchError('FETCH_INVALID', `${path} is not a file: give the path of an archive.`);
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
