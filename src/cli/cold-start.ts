/**
 * A start without V8's optimising compiler. Until the first answer next to nothing runs often enough to be worth
 * optimising, and the compiler, on threads of its own, takes a fifth of the CPU time that the answer costs.
 */

import { setFlagsFromString } from 'node:v8';

/** Then the first question has been answered, or takes long enough to be worth it, ms. */
const WARM_AFTER_MS = 2_000;

let timer: NodeJS.Timeout | undefined;

/**
 * From now on nothing is optimised, in no thread: for two seconds, or until `optimise` is called. To be called when all
 * modules are loaded: Node's own, which are cached compiled, would be compiled anew while the flag is another.
 */
export function startCold(): void {
  setFlagsFromString('--no-opt');
  timer = setTimeout(optimise, WARM_AFTER_MS).unref();
}

/** Ends a cold start early, for work that takes long. Calls were counted meanwhile, so what is hot is optimised at once. */
export function optimise(): void {
  if (timer === undefined) return;
  clearTimeout(timer);
  timer = undefined;
  setFlagsFromString('--opt');
}
