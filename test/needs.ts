/**
 * What a test needs and a machine may lack. Such a test is skipped, and `reporter.ts` names it with the reason at the end
 * of the run. `SKILLGATE_TESTS_REQUIRE`, names separated by spaces, makes it fail instead: `.ci/run` sets it.
 */

import { createRequire } from 'node:module';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the tests of this task are skipped. */
    skippedFor?: string;
  }
}

const required = new Set((process.env.SKILLGATE_TESTS_REQUIRE ?? '').split(' '));

/**
 * Options of a test, or of a group of tests, that needs `name`. `reason` says why this machine has none; null if it has.
 *
 * `describe('a graph', needs('hnswlib-node', reason), () => { … })`
 */
export function needs(name: string, reason: string | null) {
  return reason === null || required.has(name)
    ? { skip: false }
    : { skip: true, meta: { skippedFor: `needs ${name}: ${reason}` } };
}

/** Options of a test that needs `condition`, described by `name`, such as a platform. */
export const needsThat = (condition: boolean, name: string) =>
  needs(name, condition ? null : 'not on this machine');

/** Options of a test that needs an optional package. */
export const needsPackage = (name: string) => needs(name, whyNotLoaded(name));

function whyNotLoaded(name: string): string | null {
  try {
    createRequire(import.meta.url)(name);
    return null;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  }
}
