/** A lock between processes. */

import { setTimeout as delay } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { systemCode } from '../errors.ts';

/** A lock that was not refreshed for this long belongs to a dead process, ms. */
const STALE_MS = 10_000;
/** Between two attempts at a held lock, ms. */
const RETRY_MS = 50;

interface LockOptions {
  /** Default: as long as it takes. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Takes the lock of that path, in a folder that exists; the result gives it back. Rejects with the code `ELOCKED` when patience ends, with
 * the signal's reason, or with the system's error.
 */
export async function lock(path: string, { patienceMs, signal }: LockOptions): Promise<() => Promise<void>> {
  const until = performance.now() + (patienceMs ?? Number.POSITIVE_INFINITY);
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await lockfile.lock(path, {
        lockfilePath: path,
        stale: STALE_MS,
        realpath: false,
        // Another process took over, as from one that was suspended. What this one still writes is whole files.
        onCompromised: () => {},
      });
    } catch (cause) {
      // Not the library's own retries: it would also wait for a folder that is read-only.
      if (systemCode(cause) !== 'ELOCKED' || performance.now() >= until) throw cause;
    }
    await delay(RETRY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
