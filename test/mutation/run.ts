/**
 * `npm run test:mutation -- ROOM`: changes the room's code in small ways and runs its tests on each change (Stryker). A change that
 * no test notices is printed: it needs a test, or is listed in bench/RESULTS.md with the reason why it changes no behaviour.
 */

import { Stryker } from '@stryker-mutator/core';
import { ROOMS } from './rooms.ts';

const [name = '', ...files] = process.argv.slice(2);
const room = ROOMS[name];
if (room === undefined) {
  process.stderr.write(`Usage: npm run test:mutation -- <${Object.keys(ROOMS).join(' | ')}> [file...]\n`);
  process.exit(2);
}
// The runner's process reads it: test/mutation/vitest.config.ts.
process.env.MUTATION_TESTS = room.tests.join(',');
await new Stryker({
  mutate: files.length > 0 ? files : [...room.mutate],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: true },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 1,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  jsonReporter: { fileName: `bench/results/mutation/${name}.json` },
  ignorePatterns: ['bench', 'test/fuzz', 'dist', 'docs', 'page', 'models/train', 'release'],
  // Stryker would rewrite it with an API that TypeScript 7 no longer has; nothing here compiles by it.
  tsconfigFile: 'none',
  incremental: true,
  incrementalFile: `bench/results/mutation/${name}-incremental.json`,
  thresholds: { high: 95, low: 85, break: 85 },
  allowConsoleColors: false,
  tempDirName: '.stryker-tmp',
}).runMutationTest();
