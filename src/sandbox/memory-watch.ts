/**
 * Samples what a sandbox's processes use, from outside. The kernel limits memory and processor time of single
 * processes only; here they are summed over all of them. It also counts files, which no mount option limits. It
 * reads the sandbox's own `/proc`, so it sees only those processes. Between two samples a run may exceed its
 * limits.
 */

import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import type { KilledBy, Limits } from './sandbox.ts';

/** Time between two samples, ms: short at first, since most scripts are. */
const FIRST_SAMPLE_MS = 5;
const LONGEST_PAUSE_MS = 40;
const PAUSE_GROWTH = 1.5;
/** Files, folders and links at a time; each costs about 1 KB of kernel memory that no size limit counts. */
const MOST_ENTRIES = 20_000;
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
}

interface UsageWatch {
  /** Takes a last sample, stops, and returns the highest figures seen. */
  stop(): { readonly cpuMs: number; readonly peakBytes: number };
}

export function watchUsage({ proc, scratch, limits, onExcess }: WatchOptions): UsageWatch {
  let [cpuMs, peakBytes, pause] = [0, 0, FIRST_SAMPLE_MS];
  const sample = () => {
    const usage = usageOf(proc, limits.memoryBytes);
    cpuMs = Math.max(cpuMs, usage.cpuMs);
    peakBytes = Math.max(peakBytes, usage.memoryBytes);
    if (usage.cpuMs > limits.cpuMs) onExcess('cpu-time');
    if (usage.memoryBytes > limits.memoryBytes) onExcess('memory');
    if (entriesOf(scratch) > MOST_ENTRIES) onExcess('entries');
  };
  let timer = setTimeout(function again() {
    sample();
    pause = Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH);
    timer = setTimeout(again, pause);
  }, pause);
  return {
    stop() {
      clearTimeout(timer);
      sample();
      return { cpuMs, peakBytes };
    },
  };
}

/** The use of all processes in `proc`. Processes that end during the sample count as 0. */
function usageOf(proc: string, limit: number): Usage {
  let cpuMs = 0;
  const folders = pidsOf(proc).map((pid) => `${proc}/${pid}`);
  for (const folder of folders) {
    // proc(5): utime, stime, cutime and cstime. The name before them may contain anything.
    const stat = textOf(`${folder}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const field of fields.slice(11, 15)) cpuMs += Number(field) * TICK_MS;
  }
  const resident = sum(folders, (folder) => bytesIn(`${folder}/status`, /^VmRSS:\s+(\d+) kB$/m) ?? 0);
  if (resident <= limit) return { cpuMs, memoryBytes: resident };
  // Resident memory counts shared pages once per process. Dividing them (PSS) is costly, so it is done only now.
  const proportional = sum(
    folders,
    (folder) =>
      bytesIn(`${folder}/smaps_rollup`, /^Pss:\s+(\d+) kB$/m) ??
      bytesIn(`${folder}/status`, /^VmRSS:\s+(\d+) kB$/m) ??
      0,
  );
  return { cpuMs, memoryBytes: proportional };
}

const sum = <T>(items: readonly T[], count: (item: T) => number) =>
  items.reduce((total, item) => total + count(item), 0);

function pidsOf(proc: string): string[] {
  try {
    return readdirSync(proc).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function bytesIn(path: string, pattern: RegExp): number | null {
  const found = pattern.exec(textOf(path))?.[1];
  return found === undefined ? null : Number(found) * 1_024;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function entriesOf(folder: string): number {
  try {
    const { files, ffree } = statfsSync(folder);
    return files - ffree;
  } catch {
    return 0;
  }
}
