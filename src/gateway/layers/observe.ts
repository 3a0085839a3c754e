/** Records each call, for metrics, traces and the audit log. */

import { type Observer, observed } from '../intercept.ts';
import type { Layer } from './layer.ts';

/** `now`: milliseconds, monotonic. */
export const observeCalls =
  (observe: Observer, now: () => number): Layer =>
  (next, { principal }) =>
    observed(next, { principal, observe, now });
