/** Watching what a sandbox uses. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { watchUsage } from '../../../../extensions/scripts/sandbox/memory-watch.ts';
import type { KilledBy } from '../../../../src/gateway/scripts.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let proc: string;
beforeEach(() => {
  proc = temporaryFolder();
});

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

/** The last sample of a folder, and what it exceeds. No file system is at `scratch`. */
async function sampled(limits: typeof LIMITS, more: Partial<Parameters<typeof watchUsage>[0]> = {}) {
  const killed = new Set<KilledBy>();
  const scratch = join(proc, 'none');
  const watch = watchUsage({ proc, scratch, limits, onExcess: (limit) => killed.add(limit), ...more });
  return { ...(await watch.stop()), killed: [...killed] };
}

it('allows exactly as much as the limits say', async () => {
  process(1, 7, 400);
  const exact = { cpuMs: 70, memoryBytes: 400 * 1_024 };
  expect(await sampled(exact)).toEqual({ cpuMs: 70, peakBytes: 400 * 1_024, killed: [] });
  const less = { cpuMs: 69, memoryBytes: 400 * 1_024 - 1 };
  expect((await sampled(less)).killed).toEqual(['cpu-time', 'memory']);
});

it('counts the time of children that ended, and folders of processes only', async () => {
  writeFileSync(join(process(1, 0, 1), 'stat'), `1 (sh) S ${'9 '.repeat(10)}1 2 3 4 99 99`);
  mkdirSync(join(proc, '1a'));
  writeFileSync(join(proc, '1a', 'status'), 'VmRSS: 500 kB\n');
  mkdirSync(join(proc, 'a1'));
  writeFileSync(join(proc, 'a1', 'status'), 'VmRSS: 500 kB\n');
  expect(await sampled(LIMITS)).toEqual({ cpuMs: 100, peakBytes: 1_024, killed: [] });
});

it('counts resident memory where the kernel does not divide shared pages', async () => {
  process(1, 0, 2_000);
  expect(await sampled(LIMITS)).toMatchObject({ peakBytes: 2_000 * 1_024, killed: ['memory'] });
});

it('counts nothing for processes that have ended, and where there is no /proc', async () => {
  mkdirSync(join(proc, '7'));
  expect(await sampled(LIMITS)).toEqual({ cpuMs: 0, peakBytes: 0, killed: [] });
  expect(await sampled(LIMITS, { proc: join(proc, 'none') })).toEqual({ cpuMs: 0, peakBytes: 0, killed: [] });
});

it('takes the figures of a control group, without the files that were given', async () => {
  process(1, 7, 400);
  const group = { usage: async () => ({ cpuMs: 5, memoryBytes: 1_000 }) };
  expect(await sampled(LIMITS, { group })).toEqual({ cpuMs: 5, peakBytes: 1_000, killed: [] });
  expect(await sampled(LIMITS, { group, givenBytes: 400 })).toMatchObject({ peakBytes: 600 });
  expect(await sampled(LIMITS, { group, givenBytes: 4_000 })).toMatchObject({ peakBytes: 0 });
});

it('samples again and again until it is stopped, and keeps the highest figures', async () => {
  let samples = 0;
  const figures = [
    { cpuMs: 10, memoryBytes: 50 },
    { cpuMs: 30, memoryBytes: 90 },
    { cpuMs: 20, memoryBytes: 10 },
  ];
  const group = { usage: async () => figures[samples++] ?? { cpuMs: 0, memoryBytes: 0 } };
  const scratch = join(proc, 'none');
  const watch = watchUsage({ proc, scratch, limits: LIMITS, onExcess: () => {}, group });
  await vi.waitFor(() => expect(samples).toBeGreaterThan(4), 100_000);
  expect(await watch.stop()).toEqual({ cpuMs: 30, peakBytes: 90 });
  const taken = samples;
  await delay(200);
  expect(samples).toBe(taken);
});

it('does not block while the kernel takes its time to answer', async ({ skip }) => {
  if (globalThis.process.platform !== 'linux') return skip();
  const map = join(process(1, 0, 2_000), 'smaps_rollup');
  execFileSync('mkfifo', [map]);
  // Pauses between answers: a reader that meets the next writer before the end of the last one would read on forever.
  const answers = `while :; do echo 'Pss: 10 kB' >'${map}'; sleep 0.1; done`;
  const kernel = spawn('bash', ['-c', `read -t 60 word || word=late; echo $word; ${answers}`]);
  const usage = watchUsage({ proc, scratch: proc, limits: LIMITS, onExcess: () => {} });
  await delay(1_500);
  // Who is blocked says it only when the kernel has answered.
  kernel.stdin.write('first\n');
  const [word] = await once(kernel.stdout, 'data');
  expect(String(word)).toBe('first\n');
  await usage.stop();
  kernel.kill();
});
