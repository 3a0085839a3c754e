import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { configDefaults, defineConfig } from 'vitest/config';

const DRIVES_PROGRAM = [
  'test/acceptance/**/*.test.ts',
  'test/attacks/**/*.test.ts',
  'test/src/stdio/process.test.ts',
];

/** The page in a browser: `npm run test:browser`. */
const BROWSER = ['test/browser/**/*.test.ts'];

/** Unit tests that replace modules or globals, or change the process: each needs modules of its own. */
const isolated = globSync('test/**/*.test.ts', {
  cwd: import.meta.dirname,
  ignore: [...DRIVES_PROGRAM, ...BROWSER],
}).filter((file) =>
  /\bvi\.(mock|doMock|stubGlobal|stubEnv|spyOn|useFakeTimers|resetModules)\b|process\.(env\.\w+ =|chdir|on\()/.test(
    readFileSync(resolve(import.meta.dirname, file), 'utf8'),
  ),
);

const SETUP = ['test/setup.ts'];
const common = { testTimeout: 60_000, hookTimeout: 60_000, pool: 'forks' } as const;

export default defineConfig({
  test: {
    // Many tests wait for processes; vitest's own choice leaves one core of two idle.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          setupFiles: SETUP,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...DRIVES_PROGRAM, ...BROWSER, ...isolated],
          // Files of one worker share their modules, which are loaded once.
          isolate: false,
        },
      },
      { test: { ...common, name: 'isolated', setupFiles: SETUP, include: isolated } },
      // These need `dist`, which `npm run build` writes.
      { test: { ...common, name: 'acceptance', include: DRIVES_PROGRAM } },
      { test: { ...common, name: 'browser', include: BROWSER, testTimeout: 120_000 } },
    ],
  },
});
