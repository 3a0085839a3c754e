/** What an answer says of folders that are missing and of settings that are not used. */

import type { CatalogPipeline } from '../gateway/pipeline.ts';
import { LOCAL } from '../gateway/policy/principal.ts';
import type { Settings } from './settings.ts';
import { missingFolders } from './source-settings.ts';

/** The user of this machine is warned in each answer; others must not see its paths. */
export const missingNote =
  (settings: Settings): CatalogPipeline['note'] =>
  ({ id }) =>
    id === LOCAL.id ? [...settings.notices, ...missingFolders(settings)].join(' ') : '';
