/** The machine that a run measured on, and the memory of processes on it. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** Stored next to every figure that depends on it. */
export const machine = () => ({
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryBytes: totalmem(),
});

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
