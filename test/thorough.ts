/**
 * How much a test with drawn examples tries: a fifth, or all with `SKILLGATE_THOROUGH=1`, which `.ci/run` sets.
 */

const { SKILLGATE_THOROUGH } = process.env;

/**
 * How much a test with drawn examples tries: a fifth, or all with `SKILLGATE_THOROUGH=1`, which `.ci/run` sets.
 */
export const examples = (all: number): number => (SKILLGATE_THOROUGH === '1' ? all : Math.ceil(all / 5));
