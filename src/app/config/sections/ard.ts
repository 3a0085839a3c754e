/** The section `ard` of the configuration: skills for finders that speak Agentic Resource Discovery. */

import * as z from 'zod';

/** As its JSON Schema writes an identifier. */
const IDENTIFIER = /^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$/;

export const ardSchema = z.strictObject({
  publisher: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+$/, 'takes a domain: example.com')
    .meta({ description: 'The domain in whose name the skills are published' }),
  displayName: z.string().min(1).optional().meta({ description: 'Its name for people. Default: the domain' }),
  referrals: z
    .array(
      z.strictObject({
        identifier: z.string().regex(IDENTIFIER, 'takes an identifier: urn:air:example.com:registry:main'),
        displayName: z.string().min(1),
        url: z.url({ protocol: /^https?$/ }),
      }),
    )
    .default([])
    .meta({ description: 'Other registries, named to those that ask for referrals' }),
});
