/** Progress notifications for a call that waits for indexing. The gateway does the indexing. */

import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '../catalog/indexing/report.ts';

/** Calls `listener` with each step of indexing runs. Returns the unsubscribe function. */
export type OnIndexing = (listener: (progress: Progress) => void) => () => void;

/** What users read for each stage, and its start and end in percent of the whole: shares of a long run's time. */
const STAGES: Record<
  Progress['stage'],
  { readonly says: string; readonly from: number; readonly to: number }
> = {
  scan: { says: 'Looking for skills', from: 0, to: 5 },
  read: { says: 'Indexing skills', from: 5, to: 80 },
  merge: { says: 'Merging the index', from: 80, to: 90 },
  graph: { says: 'Building the graph', from: 90, to: 100 },
};

/**
 * Sends `notifications/progress` in percent, rising, at most one per percent, if the caller asked for progress. Returns
 * the function that stops it. A cancelled call gets none.
 */
export function reportProgress(onIndexing: OnIndexing | undefined, { mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (onIndexing === undefined || progressToken === undefined) return () => {};
  let reported = -1;
  return onIndexing(({ stage, done, total }) => {
    const { says, from, to } = STAGES[stage];
    const progress = Math.floor(from + ((to - from) * done) / Math.max(1, total));
    if (progress <= reported || mcpReq.signal.aborted) return;
    reported = progress;
    const message = `${says}: ${done} of ${total}`;
    // If the client is gone, the call itself ends on its own.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100, message } })
      .catch(() => {});
  });
}
