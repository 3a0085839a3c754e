/** Skills in an archive on disk: a .zip, .tar, .tar.gz or .tgz. Unpacked again when the file changes. */

import { lstat, realpath } from 'node:fs/promises';
import { FetchError } from '../errors.ts';
import { unpack } from './archive/unpack.ts';
import type { FetchedSource, FetchOptions } from './fetched.ts';
import { fetchedSource } from './fetching.ts';
import { folderOf } from './store/paths.ts';

export interface ArchiveSourceOptions extends FetchOptions {
  /** Absolute. */
  readonly path: string;
  /** Sub-folder with the skills. */
  readonly folder?: string;
}

export function archiveSource(options: ArchiveSourceOptions): FetchedSource {
  const { path, folder } = options;
  return fetchedSource(options, {
    kind: 'archive',
    origin: path,
    key: [path, folder ?? ''],
    secrets: [],
    async fetch(intake) {
      const inside = folderOf(folder);
      const before = await sightOf(path);
      if (intake.last !== null && intake.last.memory.sight === before) return null;
      const files = await unpack(path, intake, { folder: inside });
      if ((await sightOf(path)) !== before) {
        throw new FetchError(
          'FETCH_INVALID',
          'The archive changed while it was read. It is read again later.',
        );
      }
      for (const [at, file] of files) intake.add(at, file);
      return intake.finish({ sight: before });
    },
  });
}

/** Changes whenever the file is written, replaced, or swapped for another. */
async function sightOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => path);
  const stats = await lstat(real, { bigint: true }).catch((cause: unknown) => {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const message = `The archive ${path} cannot be found (${reason}): put it there, or name another.`;
    throw new FetchError('FETCH_UNREACHABLE', message, { cause });
  });
  if (!stats.isFile()) throw new FetchError('FETCH_INVALID', `${path} is no file: name an archive.`);
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
