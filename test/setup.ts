/**
 * One seed for all property tests, so that a run can be repeated. `FUZZ_SEED=random` tries new values; a failure prints
 * its seed.
 */

import fc from 'fast-check';

const { FUZZ_SEED = '1' } = process.env;
fc.configureGlobal({ seed: FUZZ_SEED === 'random' ? Date.now() : Number(FUZZ_SEED) });
