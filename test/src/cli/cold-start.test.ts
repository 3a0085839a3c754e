/** In a process of its own: the flags are the whole process's. */

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../../src/cli');
/** Optimises at once instead of beside, and lets a script ask what was. */
const FLAGS = ['--allow-natives-syntax', '--no-concurrent-recompilation'];

/** Bit 6 of V8's answer is set where TurboFan has compiled a function (`OptimizationStatus` in its runtime.h). */
const script = (calls: string) => `
import { optimise, startCold } from './cold-start.ts';
const hot = (count) => { let sum = 0; for (let at = 0; at < count; at += 1) sum += at % 7; return sum; };
const run = () => { for (let times = 0; times < 20_000; times += 1) hot(1_000); };
const isOptimised = () => { run(); return (%GetOptimizationStatus(hot) & 64) !== 0; };
${calls}`;

const printed = (calls: string) =>
  execFileSync('node', ['--import', 'tsx', ...FLAGS, '--input-type=module', '--eval', script(calls)], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

it('optimises nothing until it is told to', () => {
  expect(printed('console.log(isOptimised());')).toBe('true');
  const cold = 'startCold(); console.log(isOptimised()); optimise(); console.log(isOptimised());';
  expect(printed(cold)).toBe('false\ntrue');
});
