/** Tests are sorted by the end of their name: CONTRIBUTING.md says what each means. */

import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';

/** A test that waits longer hangs: a machine that does much else takes a minute for what takes a second. */
const LIMIT_MS = 300_000;

const common = {
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  pool: 'forks',
  setupFiles: ['test/setup.ts'],
  // vitest gives up after a second, which a process on a busy machine may take to start.
  expect: { poll: { timeout: 100_000 } },
} satisfies NonNullable<UserWorkspaceConfig['test']>;

const project = (name: string, include: string, options: UserWorkspaceConfig['test'] = {}) => ({
  // Files of one worker share their modules, which are loaded once.
  test: { ...common, isolate: false, name, include: [include], ...options },
});

/**
 * For tests of whole processes and of a browser, on machines that do other work: one that fails is tried once more. The last lines of
 * the run name it, since a test that needs that has a defect, or finds one.
 */
const RETRY_ONCE = { retry: 1 };

export default defineConfig({
  test: {
    globalSetup: ['test/temporary-folder.ts'],
    reporters: ['default', './test/reporter.ts'],
    // Many tests wait for processes; vitest's own choice leaves one core of two idle.
    maxWorkers: '100%',
    projects: [
      project('unit', 'test/**/!(*.slow|*.isolated|*.e2e|*.thorough|*.browser).test.ts'),
      project('isolated', 'test/**/*.isolated.test.ts', { ...RETRY_ONCE, isolate: true }),
      // These and the next need `dist`, which `npm run build` writes.
      project('slow', 'test/**/*.slow.test.ts', RETRY_ONCE),
      project('e2e', 'test/**/*.e2e.test.ts', RETRY_ONCE),
      project('thorough', 'test/**/*.thorough.test.ts', RETRY_ONCE),
      project('browser', 'test/**/*.browser.test.ts', {
        ...RETRY_ONCE,
        isolate: true,
        globalSetup: 'test/browser/shared-catalog.ts',
      }),
    ],
  },
});
