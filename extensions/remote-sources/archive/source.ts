/** Skills in an archive on disk: a .zip, .tar, .tar.gz or .tgz. It is unpacked again when the file changes. */

import { createReadStream } from 'node:fs';
import { copyFile, lstat, realpath, rm } from 'node:fs/promises';
import { errorMessage, systemCode } from '../../../src/base/errors.ts';
import { readRegular } from '../../../src/base/files/read.ts';
import type { FetchedSource, FetchOptions } from '../../../src/sources/fetched.ts';
import { CachedSource } from '../fetched/cached-source.ts';
import { FetchError } from '../fetched/fetch-error.ts';
import type { IncomingContents } from '../fetched/incoming.ts';
import { checkSignature, MAX_SIGNATURE_BYTES, minisignKey } from '../fetched/minisign.ts';
import { toSubfolder } from '../fetched/select-files.ts';
import { unpack } from './unpack.ts';

export interface ArchiveSourceOptions extends FetchOptions {
  /** Absolute. */
  readonly path: string;
  /** Sub-folder with the skills. */
  readonly folder?: string;
  /** Only an archive with a signature of this minisign key, next to it as `.minisig`, is used. Default: any. */
  readonly minisign?: string;
}

export function archiveSource(options: ArchiveSourceOptions): FetchedSource {
  const { path, folder, minisign } = options;
  return new CachedSource(options, {
    kind: 'archive',
    origin: path,
    // What was unpacked without this key does not count.
    key: [path, folder ?? '', ...(minisign === undefined ? [] : [minisign])],
    secrets: [],
    async fetch(incoming) {
      const inside = toSubfolder(folder);
      const before = await readFileVersion(path);
      if (incoming.last !== null && incoming.last.memory.fileVersion === before) return null;
      const files =
        minisign === undefined
          ? await unpack(path, incoming, { folder: inside })
          : await signedCopy(path, minisign, incoming, (copy) => unpack(copy, incoming, { folder: inside }));
      if ((await readFileVersion(path)) !== before) {
        throw new FetchError('The archive changed while it was read. The next refresh reads it again.');
      }
      for (const [at, file] of files) incoming.add(at, file);
      return incoming.finish({ fileVersion: before });
    },
  });
}

/** Checks and uses a copy that no one else can change in between. */
async function signedCopy<Result>(
  path: string,
  publicKey: string,
  incoming: IncomingContents,
  use: (copy: string) => Promise<Result>,
): Promise<Result> {
  const key = minisignKey(publicKey);
  const signature = await readSignature(`${path}.minisig`);
  const copy = incoming.newStagingPath();
  try {
    await copyFile(path, copy);
    await checkSignature(key, signature, createReadStream(copy), path);
    return await use(copy);
  } finally {
    await rm(copy, { force: true });
  }
}

async function readSignature(path: string): Promise<string> {
  try {
    return Buffer.from(await readRegular(path, MAX_SIGNATURE_BYTES)).toString('utf8');
  } catch (cause) {
    const message = `The signature ${path} cannot be read: ${errorMessage(cause)}. Sign the archive with minisign -S.`;
    throw new FetchError(message, { cause });
  }
}

/** Changes whenever the file is written or replaced. */
async function readFileVersion(path: string): Promise<string> {
  const real = await realpath(path).catch(() => path);
  const stats = await lstat(real, { bigint: true }).catch((cause: unknown) => {
    const reason = systemCode(cause) ?? errorMessage(cause);
    const message = `The archive ${path} cannot be found (${reason}): put it there, or give another path.`;
    throw new FetchError(message, { cause });
  });
  if (!stats.isFile()) throw new FetchError(`${path} is not a file: give the path of an archive.`);
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
