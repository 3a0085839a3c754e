/** Where a skill file lies, for whoever opens it with tools of their own. */

import { join } from 'node:path';
import type { CatalogEntry } from '../catalog/entry.ts';

/** Absolute path, or the skill's URI for callers on other machines, who are given no folders of this one. */
export const fileOf = ({ folder, file, uri }: CatalogEntry): string =>
  folder.startsWith('skill://') ? uri : join(folder, file);
