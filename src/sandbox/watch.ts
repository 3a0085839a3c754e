/**
 * Watching the processes of a sandbox from outside: the limits that the kernel knows for one process only (memory,
 * processor time) summed over all of them, and the number of files, which no mount option bounds. It looks through
 * the sandbox's own `/proc`, so that it sees those processes and no others. Between two looks more may be taken than
 * is allowed: memory of all processes together is held within a look, not within a byte.
 */

import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import type { KilledBy, Limits } from './sandbox.ts';

/** Time between two looks, ms: short at first, since most scripts are. */
const FIRST_LOOK_MS = 5;
const LONGEST_PAUSE_MS = 40;
const PAUSE_GROWTH = 1.5;
/** Files, folders and links written at a time; each costs the kernel about a kilobyte that no size counts. */
export const MOST_ENTRIES = 20_000;
/** A clock tick of `/proc`, ms: the same on every Linux that programs see. */
const TICK_MS = 10;

export interface Usage {
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

export interface Watched {
  /** Paths of the sandbox's `/proc` and of its writable file system, as they are reached from here. */
  readonly proc: string;
  readonly scratch: string;
  readonly limits: Pick<Limits, 'cpuMs' | 'memoryBytes'>;
  readonly onExcess: (limit: KilledBy) => void;
}

export interface Watch {
  /** Looks once more, stops, and gives the highest figures seen. */
  stop(): { readonly cpuMs: number; readonly peakBytes: number };
}

export function watch({ proc, scratch, limits, onExcess }: Watched): Watch {
  let [cpuMs, peakBytes, pause] = [0, 0, FIRST_LOOK_MS];
  const look = () => {
    const usage = usageOf(proc, limits.memoryBytes);
    cpuMs = Math.max(cpuMs, usage.cpuMs);
    peakBytes = Math.max(peakBytes, usage.memoryBytes);
    if (usage.cpuMs > limits.cpuMs) onExcess('cpu-time');
    if (usage.memoryBytes > limits.memoryBytes) onExcess('memory');
    if (entriesOf(scratch) > MOST_ENTRIES) onExcess('entries');
  };
  let timer = setTimeout(function again() {
    look();
    pause = Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH);
    timer = setTimeout(again, pause);
  }, pause);
  return {
    stop() {
      clearTimeout(timer);
      look();
      return { cpuMs, peakBytes };
    },
  };
}

/** Of all processes that `proc` shows. Those that end while it looks count nothing. */
function usageOf(proc: string, limit: number): Usage {
  let cpuMs = 0;
  const folders = pidsOf(proc).map((pid) => `${proc}/${pid}`);
  for (const folder of folders) {
    // proc(5), utime, stime, cutime and cstime; the name before them may hold anything.
    const stat = textOf(`${folder}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const field of fields.slice(11, 15)) cpuMs += Number(field) * TICK_MS;
  }
  const resident = sum(folders, (folder) => bytesIn(`${folder}/status`, /^VmRSS:\s+(\d+) kB$/m) ?? 0);
  if (resident <= limit) return { cpuMs, memoryBytes: resident };
  // What they share was counted for each of them: only now is it worth the kernel's time to divide it.
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
