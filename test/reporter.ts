/** The last lines of a test run: how long each part took, which tests passed only when tried again, and which were skipped and why. */

import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import './needs.ts';

type Skipped = ReadonlyMap<string, readonly string[]>;

export default class EndOfRun implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = skippedByReason(modules);
    const lines = [...durations(modules), ...retried(modules), ...names(skipped), ...counts(skipped)];
    if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}

/** Seconds that the files of each project took, added up over all workers. */
function durations(modules: readonly TestModule[]): string[] {
  const sums = new Map<string, number>();
  for (const module of modules) {
    const { collectDuration, duration, setupDuration } = module.diagnostic();
    const sum = collectDuration + duration + setupDuration;
    sums.set(module.project.name, (sums.get(module.project.name) ?? 0) + sum);
  }
  return [...sums].map(
    ([name, sum]) => `${name.padEnd(10)} ${(sum / 1000).toFixed(0).padStart(5)} s of a worker`,
  );
}

/** Names of tests that failed at first. */
export function retried(modules: readonly TestModule[]): string[] {
  const names = modules.flatMap((module) =>
    Array.from(module.children.allTests('passed'))
      .filter((test) => test.diagnostic()?.flaky === true)
      .map((test) => `  ${fullName(module, test)}`),
  );
  return names.length === 0 ? [] : ['', 'Passed only when tried again:', ...names];
}

const fullName = (module: TestModule, test: TestCase): string =>
  `${relative(process.cwd(), module.moduleId)} > ${test.fullName}`;

/** Names of skipped tests by reason. Tests that `-t` excludes are not meant. */
export function skippedByReason(modules: readonly TestModule[]): Skipped {
  const skipped = new Map<string, string[]>();
  for (const module of modules)
    for (const test of module.children.allTests('skipped')) {
      const reason = reasonFor(test);
      if (reason === null) continue;
      skipped.set(reason, [...(skipped.get(reason) ?? []), fullName(module, test)]);
    }
  return skipped;
}

function reasonFor(test: TestCase): string | null {
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== 'module'; task = task.parent) {
    const { skippedFor } = task.meta();
    if (skippedFor !== undefined) return skippedFor;
  }
  const result = test.result();
  return result.state === 'skipped' ? (result.note ?? null) : null;
}

const names = (skipped: Skipped): string[] =>
  [...skipped].flatMap(([reason, tests]) => ['', `Skipped, ${reason}`, ...tests.map((name) => `  ${name}`)]);

function counts(skipped: Skipped): string[] {
  const sums = [...skipped].map(([reason, tests]) => `${String(tests.length).padStart(5)} ${reason}`);
  return sums.length === 0 ? [] : ['', 'Tests skipped on this machine:', ...sums];
}
