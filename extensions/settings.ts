/** The sections of the configuration that belong to extensions. Loaded with the schema: where something is configured. */

import { learnSchema } from './learning/settings.ts';
import { storeSchema } from './postgres/settings.ts';
import { scriptsSchema } from './scripts/settings.ts';

export const SECTIONS = {
  scripts: scriptsSchema.prefault({}),
  store: storeSchema.optional().meta({ description: 'One catalog for several gateways' }),
  learn: learnSchema.prefault(false),
};
