/** Archives independent of format, and the checks against hostile ones. `zip.ts` and `tar.ts` read them. */

import { posix } from 'node:path';
import { errorMessage } from '../../../src/base/errors.ts';
import { FetchError } from '../fetched/fetch-error.ts';
import type { OfferedFile } from '../fetched/select-files.ts';

export interface Entry extends OfferedFile {
  /** A link's target as written; null if it is not a link. */
  readonly target: string | null;
}

export interface Archive {
  /** Everything but folders, in the archive's order. */
  readonly entries: readonly Entry[];
  /** Calls `take` with the bytes of the wanted entries, by index in `entries`, in the archive's order. */
  read(
    wanted: ReadonlySet<number>,
    take: (at: number, bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<void>;
}

/** Entries of one archive, folders included: the Linux repository has 90,000. */
const MAX_ENTRIES = 500_000;
/** Highest ratio of unpacked to packed size: text reaches 3 to 20, repeated bytes 1,000. */
const MAX_RATIO = 200;
/** Up to this many bytes a high ratio does no harm. */
const HARMLESS_BYTES = 16 * 2 ** 20;

export function refuseBomb(unpacked: number, packed: number): void {
  if (unpacked <= HARMLESS_BYTES || unpacked <= packed * MAX_RATIO) return;
  const message = `It unpacks to more than ${MAX_RATIO} times its size, as a zip bomb does: the whole fetch was refused.`;
  throw new FetchError(message);
}

export function refuseManyEntries(count: number): void {
  if (count <= MAX_ENTRIES) return;
  const message = `It has more than ${MAX_ENTRIES} entries: the whole fetch was refused. Pack only the skills.`;
  throw new FetchError(message);
}

/** All links are left out later; one that leads out of the archive means that the archive is hostile. */
export function refuseEscapingLink({ path, target }: Entry): void {
  if (target === null) return;
  const at = posix.normalize(posix.join(posix.dirname(path), target.replaceAll('\\', '/')));
  const escapes = /^(?:[/\\]|[a-z]:)/i.test(target) || at === '..' || at.startsWith('../');
  if (!escapes) return;
  const message = `It has a link out of the archive (${JSON.stringify(path)}): the whole fetch was refused. Build it again.`;
  throw new FetchError(message);
}

/** `./a` is `a`: tar writes `./a` when it packs `.`. */
export const plainPath = (path: string) => path.replace(/^(?:\.\/+)+/, '');

export function damaged(cause: unknown): FetchError {
  if (cause instanceof FetchError) return cause;
  const reason = errorMessage(cause).replace(/\.$/, '');
  const message = `The archive cannot be read (${reason}): the whole fetch was refused. Build or download it again.`;
  return new FetchError(message, { cause });
}
