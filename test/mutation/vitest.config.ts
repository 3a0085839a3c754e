/** The tests of one room, for Stryker: files of one worker share their modules, so that a mutant costs only its tests. */

import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(','),
    exclude: configDefaults.exclude.filter((pattern) => !pattern.includes('stryker')),
    globalSetup: ['test/temporary-folder.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    env: { SKILLGATE_THOROUGH: process.env.MUTATION_THOROUGH ?? '1' },
  },
});
