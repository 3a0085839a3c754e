/**
 * The configuration without any settings. The build puts the value here in place of the schema: most servers start with
 * it, and to load the schema and parse nothing with it adds 5 % to the CPU time of a cold start.
 */

import { type Config, configSchema } from './schema.ts';

export const DEFAULTS: Config = configSchema.parse({});
