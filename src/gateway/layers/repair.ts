/** Repairs the index where a call finds damage, and makes the call again. */

import type { ServedLibrary } from '../../catalog/library.ts';
import { intercept, retryRepaired } from '../intercept.ts';
import type { Layer } from './layer.ts';

export const repair =
  (library: Pick<ServedLibrary, 'rebuild' | 'notice'>): Layer =>
  (next) =>
    intercept(next, (_, proceed) => retryRepaired(library, proceed));
