/** An archive as what it holds, whatever its format; and what makes one a bomb. Reading is `zip.ts` and `tar.ts`. */

import { posix } from 'node:path';
import { FetchError } from '../../errors.ts';
import type { Offer } from '../store/admit.ts';

export interface Entry extends Offer {
  /** Where a link leads, as written; null for what is none. */
  readonly target: string | null;
}

export interface Archive {
  /** Files, links and whatever else there is; folders are not listed. In the archive's order. */
  readonly entries: readonly Entry[];
  /** Hands over the bytes of those entries, by their number in `entries`, in the archive's order. */
  read(
    wanted: ReadonlySet<number>,
    take: (at: number, bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Entries of one archive, folders included: a repository of Linux's size has 90,000. */
export const MAX_ENTRIES = 500_000;
/** How many times its own size an archive may unpack to: text gains a factor of 3 to 20, repeated bytes of 1,000. */
const MAX_RATIO = 200;
/** Below this many bytes a high ratio is no harm. */
const HARMLESS_BYTES = 16 * 2 ** 20;

export function refuseBomb(unpacked: number, packed: number): void {
  if (unpacked <= HARMLESS_BYTES || unpacked <= packed * MAX_RATIO) return;
  const message = `It unpacks to more than ${MAX_RATIO} times its size, as a zip bomb does: nothing of it is taken.`;
  throw new FetchError('FETCH_INVALID', message);
}

export function refuseManyEntries(count: number): void {
  if (count <= MAX_ENTRIES) return;
  const message = `It has more than ${MAX_ENTRIES} entries: nothing of it is taken. Pack the skills alone.`;
  throw new FetchError('FETCH_TOO_LARGE', message);
}

/** Links are left out in any case; one that leads out of the archive is made by nobody who means well. */
export function refuseLeadingOut({ path, target }: Entry): void {
  if (target === null) return;
  const at = posix.normalize(posix.join(posix.dirname(path), target.replaceAll('\\', '/')));
  const leadsOut = /^(?:[/\\]|[a-z]:)/i.test(target) || at === '..' || at.startsWith('../');
  if (!leadsOut) return;
  const message = `It holds a link out of the archive (${JSON.stringify(path)}): nothing of it is taken. Make it anew.`;
  throw new FetchError('FETCH_INVALID', message);
}

/** `./a` is `a`: tar writes it so where it packs `.`. */
export const plainPath = (path: string) => path.replace(/^(?:\.\/+)+/, '');

export function damaged(cause: unknown): FetchError {
  if (cause instanceof FetchError) return cause;
  const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
  const message = `The archive cannot be read (${reason}): nothing of it is taken. Make or fetch it anew.`;
  return new FetchError('FETCH_INVALID', message, { cause });
}
