/**
 * Files that runs left, kept for a while for whoever asked for the run. In memory: nothing is left behind when the
 * process ends, however it ends.
 */

import type { GivenFile } from '../../sandbox/sandbox.ts';
import { mimeTypeOf } from '../../skills/media-types.ts';
import type { Principal } from '../principal.ts';
import type { OutputFile } from './scripts.ts';

/** Of all runs together, bytes: the oldest run's go first. */
const MOST_BYTES = 128 * 2 ** 20;
const SCHEME = 'skill-output://';

export interface Outputs {
  keep(runId: string, principal: Principal, files: readonly GivenFile[]): readonly OutputFile[];
  read(uri: string, principal: Principal): { readonly bytes: Uint8Array; readonly mimeType: string } | null;
  clear(): void;
}

interface Kept {
  readonly principal: string;
  readonly until: number;
  readonly files: ReadonlyMap<string, GivenFile>;
  readonly size: number;
}

/** `now` is monotonic, ms. */
export function keptOutputs(keepMs: number, now: () => number): Outputs {
  const runs = new Map<string, Kept>();
  let timer: NodeJS.Timeout | undefined;

  /** Forgets what is over its time or too much, and comes back when the next is due. */
  const tidy = () => {
    clearTimeout(timer);
    let total = [...runs.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [id, { until, size }] of runs) {
      if (until > now() && total <= MOST_BYTES) break;
      runs.delete(id);
      total -= size;
    }
    const [next] = runs.values();
    if (next !== undefined)
      timer = setTimeout(tidy, Math.min(2 ** 31 - 1, Math.max(1, next.until - now()))).unref();
  };

  return {
    keep(runId, principal, files) {
      const listed = files.map((file) => ({
        file,
        uri: `${SCHEME}${runId}/${file.path.split('/').map(encodeURIComponent).join('/')}`,
      }));
      if (files.length > 0)
        runs.set(runId, {
          principal: principal.id,
          until: now() + keepMs,
          files: new Map(listed.map(({ uri, file }) => [uri, file])),
          size: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
        });
      tidy();
      return listed.map(({ uri, file: { path, bytes } }) => ({
        path,
        uri,
        size: bytes.length,
        mimeType: mimeTypeOf(path),
      }));
    },
    read(uri, principal) {
      tidy();
      const runId = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length).split('/')[0] : undefined;
      const run = runId === undefined ? undefined : runs.get(runId);
      const file = run?.files.get(uri);
      if (run === undefined || file === undefined || run.principal !== principal.id) return null;
      return { bytes: file.bytes, mimeType: mimeTypeOf(file.path) };
    },
    clear() {
      clearTimeout(timer);
      runs.clear();
    },
  };
}
