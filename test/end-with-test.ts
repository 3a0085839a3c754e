/** What a test opens is closed with it. */

import { onTestFinished } from 'vitest';
import { getCurrentTest } from 'vitest/suite';

/** Ends once: where the result is called, or with the test that is running. */
export function endWithTest<Result>(end: () => Promise<Result>): () => Promise<Result> {
  let ended: Promise<Result> | undefined;
  const once = () => {
    ended ??= end();
    return ended;
  };
  if (getCurrentTest() !== undefined) onTestFinished(async () => void (await once()));
  return once;
}
