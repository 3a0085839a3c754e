/**
 * Files that runs wrote, kept for a while for the principal that started the run. In memory only: nothing remains when
 * the process ends, in whatever way.
 */

import { LRUCache } from 'lru-cache';
import type { Principal } from '../../src/gateway/policy/principal.ts';
import type { OutputFile } from '../../src/gateway/scripts.ts';
import { mediaTypeFrom } from '../../src/skills/media-types.ts';
import type { GivenFile } from './sandbox/sandbox.ts';

/** Limit for all runs together, bytes: the oldest runs are dropped first. */
const MAX_BYTES = 128 * 2 ** 20;
const SCHEME = 'skill-output://';

interface KeptRun {
  readonly principal: string;
  /** By URI. */
  readonly files: ReadonlyMap<string, GivenFile>;
}

export class OutputStore {
  /** By id. Reading a file does not prolong the life of its run. */
  readonly #runs: LRUCache<string, KeptRun>;

  /** `now` is monotonic, ms. */
  constructor(keepMs: number, now: () => number) {
    this.#runs = new LRUCache({
      maxSize: MAX_BYTES,
      // A size is above 0, and empty files have none.
      sizeCalculation: ({ files }) =>
        [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0) || 1,
      ttl: keepMs,
      // Memory is freed although no call follows.
      ttlAutopurge: true,
      ttlResolution: 0,
      // Of an entry that was set at 0, lru-cache knows no age.
      perf: { now: () => 1 + now() },
    });
  }

  keep(runId: string, principal: Principal, files: readonly GivenFile[]): readonly OutputFile[] {
    const listed = files.map((file) => ({
      file,
      uri: `${SCHEME}${runId}/${file.path.split('/').map(encodeURIComponent).join('/')}`,
    }));
    if (files.length > 0)
      this.#runs.set(runId, {
        principal: principal.id,
        files: new Map(listed.map(({ uri, file }) => [uri, file])),
      });
    return listed.map(({ uri, file: { path, bytes } }) => ({
      path,
      uri,
      size: bytes.length,
      mimeType: mediaTypeFrom(bytes, path),
    }));
  }

  /** Null where there is no such file, where it has expired, and for other principals. */
  read(uri: string, principal: Principal): { readonly bytes: Uint8Array; readonly mimeType: string } | null {
    const runId = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length).split('/')[0] : undefined;
    const run = runId === undefined ? undefined : this.#runs.peek(runId);
    const file = run?.files.get(uri);
    if (run === undefined || file === undefined || run.principal !== principal.id) return null;
    return { bytes: file.bytes, mimeType: mediaTypeFrom(file.bytes, file.path) };
  }

  clear(): void {
    this.#runs.clear();
  }
}
