/** Passes every call through a guard, which may refuse it. */

import { type Interceptor, intercept } from '../intercept.ts';
import type { Layer } from './layer.ts';

export const guarded =
  (guard: Interceptor): Layer =>
  (next) =>
    intercept(next, guard);
