/**
 * Samples what a sandbox's processes use, from outside. The kernel limits memory and processor time of single
 * processes only; here they are summed over all of them. It also counts files, which no mount option limits. It
 * reads the sandbox's own `/proc`, so it sees only those processes. Between two samples a run may exceed its
 * limits.
 *
 * A control group (`control-group.ts`) gives the same sums without walking processes, and its kernel limit holds between samples.
 *
 * Without one, the kernel walks all pages of a process to answer for its memory map, which a script can make take half a second, so
 * every read is asynchronous, one at a time, and a slow sample is followed by a pause of the same length.
 */

import { readdir, readFile, statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { KilledBy } from '../../../src/gateway/scripts.ts';
import type { ControlGroup } from './control-group.ts';
import type { Limits } from './sandbox.ts';

/** Time between two samples, ms: short at first, since most scripts are. */
const FIRST_SAMPLE_MS = 5;
const LONGEST_PAUSE_MS = 40;
const PAUSE_GROWTH = 1.5;
/** Files, folders and links at a time; each costs about 1 KB of kernel memory that no size limit counts. */
const MAX_ENTRIES = 20_000;
/** A clock tick in `/proc`, ms: the same on every Linux, as user space sees it. */
const TICK_MS = 10;

interface Usage {
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

interface WatchOptions {
  /** Paths from outside of the sandbox's `/proc` and of its writable file system. */
  readonly proc: string;
  readonly scratch: string;
  readonly limits: Pick<Limits, 'cpuMs' | 'memoryBytes'>;
  readonly onExcess: (limit: KilledBy) => void;
  /** The run's control group, which counts exactly and by one short read, and the bytes of files given to the run. */
  readonly group?: Pick<ControlGroup, 'usage'>;
  readonly givenBytes?: number;
}

interface UsageWatch {
  /** Takes a last sample, stops, and returns the highest figures seen. */
  stop(): Promise<{ readonly cpuMs: number; readonly peakBytes: number }>;
}

export function watchUsage({
  proc,
  scratch,
  limits,
  onExcess,
  group,
  givenBytes = 0,
}: WatchOptions): UsageWatch {
  let [cpuMs, peakBytes, pause] = [0, 0, FIRST_SAMPLE_MS];
  let stopped = false;
  const ending = new AbortController();
  const sample = async () => {
    const written = await writtenIn(scratch);
    const usage =
      group === undefined
        ? await measureUsage(proc, limits.memoryBytes)
        : without(await group.usage(), written.bytes + givenBytes);
    cpuMs = Math.max(cpuMs, usage.cpuMs);
    peakBytes = Math.max(peakBytes, usage.memoryBytes);
    if (usage.cpuMs > limits.cpuMs) onExcess('cpu-time');
    if (usage.memoryBytes > limits.memoryBytes) onExcess('memory');
    if (written.entries > MAX_ENTRIES) onExcess('entries');
  };
  const sampling = (async () => {
    while (!stopped) {
      await delay(pause, undefined, { signal: ending.signal }).catch(() => {});
      if (stopped) return;
      const start = performance.now();
      await sample();
      pause = Math.max(Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH), performance.now() - start);
    }
  })();
  return {
    async stop() {
      stopped = true;
      ending.abort();
      await sampling;
      await sample();
      return { cpuMs, peakBytes };
    },
  };
}

/** The use of all processes in `proc`. Processes that end during the sample count as 0. */
async function measureUsage(proc: string, limit: number): Promise<Usage> {
  let cpuMs = 0;
  let resident = 0;
  const folders = (await listPids(proc)).map((pid) => `${proc}/${pid}`);
  for (const folder of folders) {
    // proc(5): utime, stime, cutime and cstime. The name before them may contain anything.
    const stat = await readTextIfPresent(`${folder}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const field of fields.slice(11, 15)) cpuMs += Number(field) * TICK_MS;
    resident += await residentIn(folder);
  }
  if (resident <= limit) return { cpuMs, memoryBytes: resident };
  // Resident memory counts shared pages once per process. Dividing them (PSS) is costly, so it is done only now.
  let proportional = 0;
  for (const folder of folders)
    proportional +=
      (await bytesIn(`${folder}/smaps_rollup`, /^Pss:\s+(\d+) kB$/m)) ?? (await residentIn(folder));
  return { cpuMs, memoryBytes: proportional };
}

async function listPids(proc: string): Promise<string[]> {
  try {
    return (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

const residentIn = async (folder: string) => (await bytesIn(`${folder}/status`, /^VmRSS:\s+(\d+) kB$/m)) ?? 0;

async function bytesIn(path: string, pattern: RegExp): Promise<number | null> {
  const found = pattern.exec(await readTextIfPresent(path))?.[1];
  return found === undefined ? null : Number(found) * 1_024;
}

async function readTextIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch {
    return '';
  }
}

/** Files are in memory and have a limit of their own. */
const without = ({ cpuMs, memoryBytes }: Usage, fileBytes: number): Usage => ({
  cpuMs,
  memoryBytes: Math.max(0, memoryBytes - fileBytes),
});

async function writtenIn(folder: string): Promise<{ readonly entries: number; readonly bytes: number }> {
  try {
    const { files, ffree, blocks, bfree, bsize } = await statfs(folder);
    return { entries: files - ffree, bytes: (blocks - bfree) * bsize };
  } catch {
    return { entries: 0, bytes: 0 };
  }
}
