/**
 * What a server asks of V8. Both flags may change while it runs: the optimising compiler looks at the one each time that a
 * function's calls are counted, the young generation at the other each time that it would grow.
 */

import { setFlagsFromString } from 'node:v8';

/** By then, ms, the first question has been answered, or takes long enough to be worth it, or nobody asks. */
const WARM_AFTER_MS = 2_000;

let timer: NodeJS.Timeout | undefined;

/**
 * From now on nothing is optimised, in no thread: for two seconds, or until `optimise` is called. Until the first answer
 * next to nothing runs often enough to be worth it, and the compiler, on threads of its own, takes a fifth of the CPU time
 * that the answer costs. To be called when all modules are loaded: Node's own, which are cached compiled, are compiled anew
 * while the flag is another.
 */
export function startCold(): void {
  // The one module that Node loads at its first use, by each clock.
  performance.now();
  setFlagsFromString('--no-opt');
  timer = setTimeout(optimise, WARM_AFTER_MS).unref();
}

/**
 * Ends a cold start: the first question is answered, or there is work that takes long. Calls were counted meanwhile, so that
 * what is hot is optimised at once.
 */
export function optimise(): void {
  if (timer === undefined) return;
  clearTimeout(timer);
  timer = undefined;
  setFlagsFromString('--opt');
}

/**
 * The young generation stays as large as it is now, 8 MB when the modules are loaded, instead of growing to 32 MB: a
 * search leaves little behind, so collecting more often costs nothing that could be measured. For a server with one client,
 * of which there may be several on a machine. V8 forgets it where a worker thread starts.
 */
export function stayYoung(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
