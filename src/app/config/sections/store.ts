/** The section `store` of the configuration: the database through which gateways share a catalog. */

import * as z from 'zod';
import { duration } from '../values.ts';

export const storeSchema = z.strictObject({
  url: z.string().min(1).meta({
    description: 'URL of the database; $NAME in braces expands from the environment',
  }),
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,40}$/, 'takes a-z, 0-9 and _')
    .default('skillgate')
    .meta({ description: 'Schema of the tables: one for each catalog' }),
  role: z.enum(['writer', 'reader']).default('writer').meta({
    description: 'A reader never fetches, indexes or publishes',
  }),
  cache: z.string().min(1).optional().meta({
    description: 'Folder of the copied index, or `memory`. Default: in the user cache',
  }),
  shares: z
    .array(z.enum(['tokens', 'policy', 'audit']))
    .default([])
    .meta({
      description:
        'What else the database keeps: tokens (instead of auth.tokens), policy (skillgate store policy), audit log (instead of telemetry.audit)',
    }),
  lease: duration
    .regex(/^(\d{1,5}ms|[1-5]?\d{1,2}s|[1-9]m|10m)$/, 'takes at most 10m')
    .default('6s')
    .meta({
      description:
        'A writer that does not answer is replaced after this time, at most 10m; one that has ended, at once',
    }),
  maxStaleRights: duration.default('30s').meta({
    description:
      'How long shared tokens and policy hold while the store is out of reach; then no caller is answered',
  }),
  maxStale: duration.default('1h').meta({
    description: 'How long a gateway answers from its copy while the store is out of reach',
  }),
  purgeWithin: duration.default('7d').meta({
    description:
      'Text of skills that were deleted or changed leaves the store and all copies within this time',
  }),
});
