/** Watching what a sandbox uses. */

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchUsage } from '../../../src/sandbox/memory-watch.ts';
import type { KilledBy } from '../../../src/sandbox/sandbox.ts';

let proc: string;
beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'skillgate-proc-'));
});
afterEach(() => rmSync(proc, { recursive: true, force: true }));

/** A process as `/proc` shows it: `ticks` of 10 ms in user mode, and kilobytes of resident memory. */
function process(pid: number, ticks: number, resident: number): string {
  const folder = join(proc, String(pid));
  mkdirSync(folder);
  // proc(5): utime is field 14; the name may contain anything.
  writeFileSync(join(folder, 'stat'), `${pid} (a ) b) S ${'0 '.repeat(10)}${ticks} 0 0 0 20`);
  writeFileSync(join(folder, 'status'), `Name:\ta\nVmRSS:\t ${resident} kB\n`);
  return folder;
}

const LIMITS = { cpuMs: 60_000, memoryBytes: 1_000 * 1_024 };

it('adds up processor time and memory of all processes, and divides shared pages only above the limit', async () => {
  for (const pid of [1, 2]) writeFileSync(join(process(pid, 7, 400), 'smaps_rollup'), 'Pss:  100 kB\n');
  const below = watchUsage({ proc, scratch: proc, limits: LIMITS, onExcess: () => {} });
  // 2 × 7 × 10 ms; 2 × 400 kB is not above 1,000 kB.
  expect(await below.stop()).toEqual({ cpuMs: 140, peakBytes: 800 * 1_024 });
  const killed: KilledBy[] = [];
  const limits = { cpuMs: 100, memoryBytes: 700 * 1_024 };
  const above = watchUsage({ proc, scratch: proc, limits, onExcess: (limit) => killed.push(limit) });
  // 2 × 100 kB.
  expect(await above.stop()).toEqual({ cpuMs: 140, peakBytes: 200 * 1_024 });
  expect(killed).toContain('cpu-time');
  expect(killed).not.toContain('memory');
});

it('ends a run whose share of memory is above the limit', async () => {
  writeFileSync(join(process(1, 0, 2_000), 'smaps_rollup'), 'Pss:  1001 kB\n');
  const killed: KilledBy[] = [];
  const usage = watchUsage({ proc, scratch: proc, limits: LIMITS, onExcess: (limit) => killed.push(limit) });
  await usage.stop();
  expect(killed).toContain('memory');
});

it('does not block while the kernel takes two seconds to answer', async ({ skip }) => {
  if (globalThis.process.platform !== 'linux') return skip();
  const map = join(process(1, 0, 2_000), 'smaps_rollup');
  execFileSync('mkfifo', [map]);
  // Pauses between answers: a reader that meets the next writer before the end of the last one would read on forever.
  const kernel = spawn('sh', ['-c', `sleep 2; while :; do echo 'Pss: 10 kB' >'${map}'; sleep 0.1; done`]);
  const usage = watchUsage({ proc, scratch: proc, limits: LIMITS, onExcess: () => {} });
  let longest = 0;
  const end = performance.now() + 1_500;
  for (let last = performance.now(); last < end; ) {
    await delay(10);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  expect(longest).toBeLessThan(1_000);
  await usage.stop();
  kernel.kill();
});
