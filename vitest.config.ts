import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most of the acceptance tests wait for processes; vitest's own choice leaves one core of two idle.
    maxWorkers: '100%',
  },
});
