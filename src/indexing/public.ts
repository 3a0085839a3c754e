/**
 * What changed, and what has to be indexed again.
 *
 * `plan.ts` compares names and stamps; `run.ts` builds segments in worker threads and commits them. A killed run leaves finished
 * segments that the next run adopts. `incremental.ts` indexes a few changed skills in the server's own thread. A large catalog
 * is checked in a background thread that ends with its work; the server's thread only opens what was committed.
 */

export { type BackgroundIndexing, BackgroundThread } from './background-indexing.ts';
export { discardIndex, generationOf, isDamage } from './damage.ts';
export { compactIndex, knownOf, runIncremental } from './incremental.ts';
export type { IndexReport, Progress } from './report.ts';
export { runIndexing } from './run.ts';
export { isUpToDate } from './up-to-date.ts';
export { inProcessWorker, mixedPool, ThreadPool, type WorkerPool } from './worker-pool.ts';
