/** The folder of an index, with the lock by which one process writes it. */

import type { Directory } from '../../index/directory/directory.ts';
import { diskDirectory } from '../../index/directory/disk.ts';

/** `mode`: the permissions of its files, less the umask. */
export const indexDirectory = (folder: string, { mode }: { readonly mode?: number } = {}): Directory =>
  diskDirectory(folder, {
    ...(mode !== undefined && { mode }),
    // Only writers load its code.
    lock: async (path, options) => (await import('../base/files/lock.ts')).lock(path, options),
  });
