/** The section `store` of the configuration: the database through which gateways share a catalog. */

import * as z from 'zod';
import { duration } from '../../src/app/config/values.ts';

export const storeSchema = z.strictObject({
  url: z.string().min(1).meta({
    description: 'postgres://user@host/database; $NAME in braces expands from the environment',
  }),
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,40}$/, 'takes a-z, 0-9 and _')
    .default('skillgate')
    .meta({ description: 'Schema of the tables: one for each catalog' }),
  role: z.enum(['writer', 'reader']).default('writer').meta({
    description: 'A reader never fetches, indexes or publishes',
  }),
  search: z.enum(['copy', 'database']).default('copy').meta({
    description: 'Where gateways search: in a copy of the index, or in the database (pgvector)',
  }),
  cache: z.string().min(1).optional().meta({
    description: 'Folder of the copied index, or `memory`. Default: in the user cache',
  }),
  shares: z
    .array(z.enum(['tokens', 'policy', 'audit']))
    .default([])
    .meta({
      description:
        'What else is the database’s: tokens (not auth.tokens), policy (skillgate store policy), audit log (not telemetry.audit)',
    }),
  lease: duration.default('6s').meta({ description: 'A dead writer is replaced after this time' }),
  maxStale: duration.default('1h').meta({
    description: 'How long a gateway answers from its copy while the store is out of reach',
  }),
});
