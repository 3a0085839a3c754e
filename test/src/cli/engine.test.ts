/** In processes of their own: the flags are the whole process's. */

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../../src/cli');

const printed = (flags: readonly string[], script: string) =>
  execFileSync('node', ['--import', 'tsx', ...flags, '--input-type=module', '--eval', script], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

it('optimises nothing until it is told to', () => {
  // At once instead of beside; bit 6 is set where TurboFan has compiled a function (V8's OptimizationStatus, runtime.h).
  const flags = ['--allow-natives-syntax', '--no-concurrent-recompilation'];
  const script = (calls: string) => `
    import { optimise, startCold } from './engine.ts';
    const hot = (count) => { let sum = 0; for (let at = 0; at < count; at += 1) sum += at % 7; return sum; };
    const run = () => { for (let times = 0; times < 20_000; times += 1) hot(1_000); };
    const isOptimised = () => { run(); return (%GetOptimizationStatus(hot) & 64) !== 0; };
    ${calls}`;
  expect(printed(flags, script('console.log(isOptimised());'))).toBe('true');
  const cold = 'startCold(); console.log(isOptimised()); optimise(); console.log(isOptimised());';
  expect(printed(flags, script(cold))).toBe('false\ntrue');
});

it('keeps the young generation from growing', () => {
  const script = (call: string) => `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { stayYoung } from './engine.ts';
    const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
    ${call}
    const before = size();
    const kept = [];
    for (let times = 0; times < 1_000_000; times += 1) {
      kept.push({ times });
      if (kept.length > 50_000) kept.length = 0;
    }
    console.log(size() > before);`;
  expect(printed([], script(''))).toBe('true');
  expect(printed([], script('stayYoung();'))).toBe('false');
});
