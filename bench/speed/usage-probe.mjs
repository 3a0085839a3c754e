/**
 * Preloaded into a measured process (`--import`): when that ends, writes what it used to the file that
 * SKILLGATE_BENCH_USAGE names. Outside the process CPU time and memory of a child cannot be had on every system.
 */

import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.SKILLGATE_BENCH_USAGE;
if (isMainThread && file !== undefined) {
  process.on('exit', () => {
    // Microseconds, of all threads, and kilobytes.
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage = {
      cpuMs: (userCPUTime + systemCPUTime) / 1000,
      peakBytes: maxRSS * 1024,
      bytes: process.memoryUsage.rss(),
    };
    writeFileSync(file, JSON.stringify(usage));
  });
}
