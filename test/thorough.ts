/**
 * How much a test with drawn examples tries. `npm run test:thorough` runs each file that imports this again, with all of
 * them; other runs draw a fifth.
 */

const { SKILLGATE_THOROUGH } = process.env;

/** Number of examples to draw, of the number in a thorough run. */
export const examples = (all: number): number => (SKILLGATE_THOROUGH === '1' ? all : Math.ceil(all / 5));
