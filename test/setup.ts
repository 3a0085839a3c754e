/**
 * Before each test file: refuses a home that is not empty, and gives all property tests one seed, so that a run can be
 * repeated. `FUZZ_SEED=random` tries new values; a failure prints its seed.
 */

import fc from 'fast-check';
import { whyNotIsolated } from './temporary-folder.ts';

const problem = whyNotIsolated(process.env);
if (problem !== '')
  throw new Error(`Tests must not read files of the user: ${problem}. Run them with vitest.config.ts.`);

const { FUZZ_SEED = '1' } = process.env;
fc.configureGlobal({ seed: FUZZ_SEED === 'random' ? Date.now() : Number(FUZZ_SEED) });
