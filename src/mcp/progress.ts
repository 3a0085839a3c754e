/** Telling a client how far indexing is while its call waits for it. The run itself is the gateway's affair. */

import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '../indexing/report.ts';

/** Calls back with every step of indexing runs; returns how to stop. */
export type OnIndexing = (listener: (progress: Progress) => void) => () => void;

/** What each stage is to people, and where in the whole it begins and ends, percent: shares of a long run's time. */
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
 * Sends `notifications/progress` in percent, rising, at most one a percent, where the caller asked for them; returns
 * how to stop. A cancelled call gets none.
 */
export function tellProgress(onIndexing: OnIndexing | undefined, { mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (onIndexing === undefined || progressToken === undefined) return () => {};
  let told = -1;
  return onIndexing(({ stage, done, total }) => {
    const { says, from, to } = STAGES[stage];
    const progress = Math.floor(from + ((to - from) * done) / Math.max(1, total));
    if (progress <= told || mcpReq.signal.aborted) return;
    told = progress;
    const message = `${says}: ${done} of ${total}`;
    // A client that is gone misses it: the call itself ends by its own way.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100, message } })
      .catch(() => {});
  });
}
