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

/** Unit tests that start processes or threads, wait, index hundreds of skills, or draw many large examples. */
const SLOW = [
  'test/bench/{agent,bundles,expected}.test.ts',
  'test/index/compaction.test.ts',
  'test/index/reader/{passages,restricted}.test.ts',
  'test/src/catalog/watch*.test.ts',
  'test/src/embed/prepared.test.ts',
  'test/src/gateway/view.test.ts',
  'test/src/gateway/tools/toolbox.test.ts',
  'test/src/http/{answer,http}.test.ts',
  'test/src/indexing/{background-indexing,worker-pool}.test.ts',
  'test/src/mcp/{fuzz,shared-catalog}.test.ts',
  'test/src/mcp/drafts/drafts.test.ts',
  'test/src/passages/files.test.ts',
  'test/src/sandbox/**/*.test.ts',
  'test/src/scripts/**/*.test.ts',
  'test/src/search/stuffing.test.ts',
  'test/src/skills/strict.test.ts',
  'test/src/sources/{archive,git,well-known,wide}.test.ts',
  'test/src/sources/mcp/*.test.ts',
  'test/src/sources/store/select-files.test.ts',
  'test/src/telemetry/audit.test.ts',
  'test/src/upstream/connection.test.ts',
];

/** Unit tests that replace modules or globals, or change the process: each needs modules of its own. */
const isolated = globSync('test/**/*.test.ts', {
  cwd: import.meta.dirname,
  ignore: [...DRIVES_PROGRAM, ...SLOW, ...BROWSER],
}).filter((file) =>
  /\bvi\.(mock|doMock|stubGlobal|stubEnv|spyOn|useFakeTimers|resetModules)\b|process\.(env\.\w+ =|chdir|on\()/.test(
    readFileSync(resolve(import.meta.dirname, file), 'utf8'),
  ),
);

const SETUP = ['test/setup.ts'];
const common = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // vitest gives up after a second, which a process on a busy machine may take to start.
  expect: { poll: { timeout: 30_000 } },
} as const;

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
          exclude: [...configDefaults.exclude, ...DRIVES_PROGRAM, ...SLOW, ...BROWSER, ...isolated],
          // Files of one worker share their modules, which are loaded once.
          isolate: false,
        },
      },
      { test: { ...common, name: 'isolated', setupFiles: SETUP, include: isolated } },
      // These and the next need `dist`, which `npm run build` writes.
      { test: { ...common, name: 'slow', setupFiles: SETUP, include: SLOW } },
      { test: { ...common, name: 'acceptance', include: DRIVES_PROGRAM, isolate: false } },
      { test: { ...common, name: 'browser', include: BROWSER, testTimeout: 120_000 } },
    ],
  },
});
