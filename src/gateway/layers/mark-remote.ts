/**
 * Marks the skills that were fetched from elsewhere, whose `allowed-tools` are not the user's, and names no folder in which only some
 * of a skill's files are: the others are read where they are needed.
 */

import type { ServedLibrary } from '../../catalog/library.ts';
import type { Layer } from './layer.ts';
import { maskEntries, withoutFolder } from './mask-entries.ts';

export const markRemote =
  (library: Pick<ServedLibrary, 'originOf'>): Layer =>
  (next) =>
    maskEntries(next, (entry, files) => {
      const origin = library.originOf(entry.source);
      if (origin === 'local') return entry;
      const isWhole = files?.every(({ bytes }) => bytes === undefined) ?? origin === 'fetched';
      return { ...(isWhole ? entry : withoutFolder(entry)), remote: true };
    });
