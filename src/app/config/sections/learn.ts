/** The section `learn` of the configuration. */

import * as z from 'zod';

const learnOptionsSchema = z.strictObject({
  minPrincipals: z.int().min(1).default(3).meta({
    description: 'How many principals, apart from the local user, must have taught the same before it counts',
  }),
});
export const learnSchema = z
  .union([z.boolean(), learnOptionsSchema])
  .meta({ description: 'Remember which skills are loaded for which requests, and rank by it' })
  .transform((learn) => ({
    enabled: learn !== false,
    ...(typeof learn === 'boolean' ? learnOptionsSchema.parse({}) : learn),
  }));
