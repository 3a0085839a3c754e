/**
 * Preloaded into a measured process (`--import`). At exit it writes the resources that the process used to the file named
 * by SKILLGATE_BENCH_USAGE. Not every system reports CPU time and memory of a child to its parent.
 */

import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.SKILLGATE_BENCH_USAGE;
if (isMainThread && file !== undefined) {
  process.on('exit', () => {
    // Times are microseconds of all threads, maxRSS is kilobytes.
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage = {
      cpuMs: (userCPUTime + systemCPUTime) / 1000,
      peakBytes: maxRSS * 1024,
      bytes: process.memoryUsage.rss(),
    };
    writeFileSync(file, JSON.stringify(usage));
  });
}
