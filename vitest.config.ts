import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { configDefaults, defineConfig, type UserWorkspaceConfig } from 'vitest/config';

const DRIVES_PROGRAM = [
  'test/acceptance/**/*.test.ts',
  'test/attacks/**/*.test.ts',
  'test/src/stdio/process.test.ts',
];

/** The page in a browser: `npm run test:browser`. */
const BROWSER = ['test/browser/**/*.test.ts'];

/** Unit tests that start processes, threads or databases, wait, index hundreds of skills, or draw many large examples. */
const SLOW = [
  'test/bench/{agent,bundles,expected}.test.ts',
  'test/index/compaction.test.ts',
  'test/index/reader/{passages,restricted}.test.ts',
  'test/index/vectors/hnsw.test.ts',
  'test/release/checks.test.ts',
  'test/src/catalog/watch*.test.ts',
  'test/src/embed/{prepared,transformers}.test.ts',
  'test/src/gateway/view.test.ts',
  'test/src/gateway/tools/toolbox.test.ts',
  'test/src/http/{answer,http}.test.ts',
  'test/src/indexing/{background-indexing,worker-pool}.test.ts',
  'test/src/library/library.test.ts',
  'test/src/mcp/{fuzz,shared-catalog}.test.ts',
  'test/src/mcp/drafts/drafts.test.ts',
  'test/src/passages/files.test.ts',
  'test/src/sandbox/**/*.test.ts',
  'test/src/scripts/**/*.test.ts',
  'test/src/skills/strict.test.ts',
  'test/src/sources/{archive,git,signed,well-known,wide}.test.ts',
  'test/src/sources/mcp/*.test.ts',
  'test/src/sources/store/select-files.test.ts',
  'test/src/store/*.test.ts',
  'test/src/telemetry/audit.test.ts',
  'test/src/upstream/connection.test.ts',
];

/**
 * For `npm run test:thorough`, which `.ci/run` starts after `npm test`. What is long by nature: tens of thousands of folders,
 * hundreds of index runs, the whole contract a second time.
 */
const THOROUGH = ['test/src/search/stuffing.test.ts', 'test/src/sources/git/without-filters.test.ts'];
/** The same of those that drive the program: attackers, sandboxes, faults of networks, disks and databases, several gateways, the packed file. */
const THOROUGH_ACCEPTANCE = [
  'test/attacks/**/*.test.ts',
  'test/acceptance/hostile-*.test.ts',
  'test/acceptance/{authenticated-http,bad-catalogs,bad-surroundings,deployment,killed-while-indexing,leaks,other-servers}.test.ts',
  'test/acceptance/{older-clients,package,scripts,shared-catalog,store-faults,team,telemetry}.test.ts',
  'test/src/sources/git.test.ts',
  'test/src/store/{contract,network}.test.ts',
];

const textOf = (file: string) => readFileSync(resolve(import.meta.dirname, file), 'utf8');
const filesWith = (include: readonly string[], ignore: readonly string[], pattern: RegExp) =>
  globSync([...include], { cwd: import.meta.dirname, ignore: [...ignore] }).filter((file) =>
    pattern.test(textOf(file)),
  );

const ALL = ['test/**/*.test.ts'];
/** Files that draw more examples with `--mode thorough`. */
const drawing = filesWith(ALL, [], /from '[./]+\/thorough\.ts'/);
/** Files that replace modules or globals, or change the process: each needs modules of its own. */
const CHANGES =
  /\bvi\.(mock|doMock|stubGlobal|stubEnv|spyOn|useFakeTimers|resetModules)\b|process\.(env\.\w+ =|chdir|on\()/;
const apart = filesWith(ALL, [...DRIVES_PROGRAM, ...BROWSER, ...THOROUGH, ...THOROUGH_ACCEPTANCE], CHANGES);
const slowApart = filesWith(SLOW, THOROUGH_ACCEPTANCE, CHANGES);

const common = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  setupFiles: ['test/setup.ts'],
  // Of 5,600 tests, hundreds wait for processes of a machine that others use too. A second attempt is shown as one.
  retry: process.env.CI === undefined ? 0 : 1,
  // vitest gives up after a second, which a process on a busy machine may take to start.
  expect: { poll: { timeout: 30_000 } },
} satisfies NonNullable<UserWorkspaceConfig['test']>;
/** Files of one worker share their modules, which are loaded once. */
const together = { ...common, isolate: false };

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/temporary-folder.ts'],
    // Many tests wait for processes; vitest's own choice leaves one core of two idle.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...together,
          name: 'unit',
          include: ALL,
          exclude: [
            ...configDefaults.exclude,
            ...[DRIVES_PROGRAM, BROWSER, THOROUGH, THOROUGH_ACCEPTANCE, SLOW, apart].flat(),
          ],
        },
      },
      { test: { ...common, name: 'unit-apart', include: apart.filter((file) => !slowApart.includes(file)) } },
      // These and the next need `dist`, which `npm run build` writes.
      { test: { ...together, name: 'slow', include: SLOW, exclude: [...slowApart, ...THOROUGH_ACCEPTANCE] } },
      { test: { ...common, name: 'slow-apart', include: slowApart } },
      { test: { ...together, name: 'acceptance', include: DRIVES_PROGRAM, exclude: THOROUGH_ACCEPTANCE } },
      {
        test: {
          ...common,
          name: 'thorough',
          include: [...THOROUGH, ...(mode === 'thorough' ? drawing : [])],
          env: { SKILLGATE_THOROUGH: '1' },
        },
      },
      { test: { ...together, name: 'thorough-acceptance', include: THOROUGH_ACCEPTANCE } },
      {
        test: {
          ...common,
          name: 'browser',
          include: BROWSER,
          globalSetup: 'test/browser/shared-catalog.ts',
          testTimeout: 120_000,
        },
      },
    ],
  },
}));
