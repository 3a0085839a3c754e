/**
 * Files that runs wrote, kept for a while for the principal that started the run. In memory only: nothing remains when
 * the process ends, in whatever way.
 */

import { LONGEST_DELAY_MS } from '../../src/base/timing.ts';
import type { Principal } from '../../src/gateway/policy/principal.ts';
import type { OutputFile } from '../../src/gateway/scripts.ts';
import { mediaTypeFrom } from '../../src/skills/media-types.ts';
import type { GivenFile } from './sandbox/sandbox.ts';

/** Limit for all runs together, bytes: the oldest runs are dropped first. */
const MAX_BYTES = 128 * 2 ** 20;
const SCHEME = 'skill-output://';

interface KeptRun {
  readonly principal: string;
  /** On the clock of `now`, ms. */
  readonly expiresAt: number;
  /** By URI. */
  readonly files: ReadonlyMap<string, GivenFile>;
  readonly size: number;
}

export class OutputStore {
  readonly #keepMs: number;
  readonly #now: () => number;
  /** Oldest first. Not an LRU: reading a file does not prolong its life. */
  readonly #runs = new Map<string, KeptRun>();
  #timer: NodeJS.Timeout | undefined;

  /** `now` is monotonic, ms. */
  constructor(keepMs: number, now: () => number) {
    this.#keepMs = keepMs;
    this.#now = now;
  }

  keep(runId: string, principal: Principal, files: readonly GivenFile[]): readonly OutputFile[] {
    const listed = files.map((file) => ({
      file,
      uri: `${SCHEME}${runId}/${file.path.split('/').map(encodeURIComponent).join('/')}`,
    }));
    if (files.length > 0)
      this.#runs.set(runId, {
        principal: principal.id,
        expiresAt: this.#now() + this.#keepMs,
        files: new Map(listed.map(({ uri, file }) => [uri, file])),
        size: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      });
    this.#drop();
    return listed.map(({ uri, file: { path, bytes } }) => ({
      path,
      uri,
      size: bytes.length,
      mimeType: mediaTypeFrom(bytes, path),
    }));
  }

  /** Null where there is no such file, where it has expired, and for other principals. */
  read(uri: string, principal: Principal): { readonly bytes: Uint8Array; readonly mimeType: string } | null {
    this.#drop();
    const runId = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length).split('/')[0] : undefined;
    const run = runId === undefined ? undefined : this.#runs.get(runId);
    const file = run?.files.get(uri);
    if (run === undefined || file === undefined || run.principal !== principal.id) return null;
    return { bytes: file.bytes, mimeType: mediaTypeFrom(file.bytes, file.path) };
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#runs.clear();
  }

  /** Drops runs that have expired or exceed the limit, and sets a timer for the next one. */
  #drop(): void {
    clearTimeout(this.#timer);
    let total = [...this.#runs.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [id, { expiresAt, size }] of this.#runs) {
      if (expiresAt > this.#now() && total <= MAX_BYTES) break;
      this.#runs.delete(id);
      total -= size;
    }
    const [next] = this.#runs.values();
    if (next === undefined) return;
    const delay = Math.min(LONGEST_DELAY_MS, Math.max(1, next.expiresAt - this.#now()));
    this.#timer = setTimeout(() => this.#drop(), delay).unref();
  }
}
