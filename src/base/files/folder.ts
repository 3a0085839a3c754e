/** A directory held open, so that a name that is exchanged for a link meanwhile leads nowhere else. */

import { closeSync, constants, openSync, readlinkSync, realpathSync } from 'node:fs';
import { FileError, refusalOf } from './errors.ts';
import { DESCRIPTORS, GUARANTEE, O_PATH } from './open.ts';

export interface HeldFolder {
  /** A path by which its entries are listed and looked at; good until `close`. */
  readonly at: string;
  close(): void;
}

/** Holds the directory at `path`, a real path. Throws `FileError` if any part of it has become a link. */
export function holdFolder(path: string): HeldFolder {
  try {
    if (GUARANTEE !== 'checked-descriptor') {
      demandSame(realpathSync(path), path);
      return { at: path, close: () => {} };
    }
    const folder = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const at = `${DESCRIPTORS}/${folder}`;
    try {
      demandSame(readlinkSync(at), path);
    } catch (error) {
      closeSync(folder);
      throw error;
    }
    return { at, close: () => closeSync(folder) };
  } catch (error) {
    throw refusalOf(error, path);
  }
}

function demandSame(real: string, path: string): void {
  if (real !== path) throw new FileError('FILE_OUTSIDE', path, 'has been replaced by a symbolic link.');
}
