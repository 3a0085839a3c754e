/** A fetched source whose origin the test controls. */

import type { FetchedSource, SourceStatus } from '../../../../src/sources/fetched.ts';

export interface FakeSource extends FetchedSource {
  /** Number of fetches so far. */
  readonly fetches: number;
  /** The result of the next fetches: another text is a change, an error is a failure. */
  answer: string | Error;
  notice(): void;
}

export function fakeSource(name: string, refreshMs: number, now: () => number): FakeSource {
  const listeners = new Set<() => void>();
  let fetches = 0;
  let resolved: string | null = null;
  let verifiedAt: string | null = null;
  let failure: string | null = null;
  return {
    name,
    refreshMs,
    answer: 'first',
    get fetches() {
      return fetches;
    },
    notice() {
      for (const listener of listeners) listener();
    },
    scan: async () => ({ folders: [], diagnostics: [] }),
    filesOf: async () => [],
    status: (): SourceStatus => ({
      name,
      kind: 'git',
      origin: `https://${name}.org`,
      resolved,
      verifiedAt,
      failure,
    }),
    async refresh(signal) {
      signal?.throwIfAborted();
      fetches += 1;
      if (this.answer instanceof Error) {
        failure = this.answer.message;
        return false;
      }
      const changed = resolved !== this.answer;
      resolved = this.answer;
      verifiedAt = new Date(now()).toISOString();
      failure = null;
      return changed;
    },
    onNotification(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {},
  };
}
