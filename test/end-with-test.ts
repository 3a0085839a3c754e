/** What a test opens is closed with it. */

import { onTestFinished, TestRunner } from 'vitest';

/** Ends once: where the result is called, or with the test that is running; the last that was opened first. */
export function endWithTest(end: () => unknown): () => Promise<void> {
  let ended: Promise<void> | undefined;
  const once = () => {
    ended ??= (async () => void (await end()))();
    return ended;
  };
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(once);
  return once;
}
