/** The machine that a run measured on, and the memory of processes on it. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Stored next to every figure that depends on it. */
export const machine = () => ({
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryBytes: totalmem(),
});

/** Most of the time in which all cores may work, and the longest wait for that, ms. */
const IDLE_SHARE = 0.1;
const IDLE_WAIT_MS = 60_000;

/** Resolves once the machine has done next to nothing for a second, or at the latest after a minute. */
export async function untilIdle(): Promise<void> {
  const spent = () => {
    const all = cpus().flatMap(({ times }) => Object.values(times));
    const idle = cpus().map(({ times }) => times.idle);
    return { all: sum(all), idle: sum(idle) };
  };
  const end = performance.now() + IDLE_WAIT_MS;
  for (let before = spent(); performance.now() < end; ) {
    await delay(1_000);
    const now = spent();
    if (1 - (now.idle - before.idle) / (now.all - before.all) < IDLE_SHARE) return;
    before = now;
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Sum of the resident sets in bytes, as `ps` reports them: asking a busy process would disturb it. */
export function residentBytes(pids: readonly number[]): number {
  const lines = execFileSync('ps', ['-o', 'rss=', '-p', pids.join(',')], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return lines.reduce((sum, kilobytes) => sum + 1_024 * Number(kilobytes), 0);
}

/** Most memory that this process has had, bytes. Linux only: `resourceUsage` begins with what the parent had. */
export const peakResident = (): number =>
  1_024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
