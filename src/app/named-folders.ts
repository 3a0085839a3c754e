/** Folders with skills that somebody named and that are not there: a typing error that would otherwise find no skill. */

import { isNothing } from '../sources/scan/real-path.ts';
import { AppError } from './app-error.ts';
import type { Settings } from './settings.ts';

/** One sentence for each missing folder. A folder that is only looked at because hosts use it may be missing. */
export function missingFolders({ sources }: Pick<Settings, 'sources'>): string[] {
  return sources.flatMap(({ name, config, optional }) =>
    optional || config.kind !== 'local' || !isNothing(config.root)
      ? []
      : [`The folder of the source ${name} does not exist: ${config.root}.`],
  );
}

/** Throws `FOLDER_MISSING`. */
export function requireNamedFolders(settings: Pick<Settings, 'sources'>): void {
  const missing = missingFolders(settings);
  if (missing.length > 0)
    throw new AppError('FOLDER_MISSING', `${missing.join('\n')} Name an existing folder, or create it.`);
}
