/** The section `scripts` of the configuration: which scripts may run, and within which limits. */

import * as z from 'zod';
import { DOMAIN_PATTERN } from '../../../base/net/domain-names.ts';
import { duration, envName, glob, size } from '../values.ts';

export const scriptsSchema = z.strictObject({
  enabled: z.boolean().default(false),
  sources: z.array(glob).default([]),
  skills: z.array(glob).default([]).meta({ description: 'By id; `*` for all skills of the sources' }),
  confirm: z.enum(['never', 'when-supported', 'always']).default('when-supported'),
  timeout: duration.default('30s'),
  memory: size.default('512MiB'),
  domains: z
    .array(z.string().regex(DOMAIN_PATTERN, 'takes domains in lower case: example.org, *.example.org'))
    .default([])
    .meta({
      description: 'Domains that scripts may reach if their skills ask for them; `*.` for all subdomains',
    }),
  folders: z
    .array(z.string().regex(/^(?:~|\/)(?!\/*$)./, 'takes absolute paths, and not the root'))
    .default([])
    .meta({ description: 'Folders that scripts may read if their skills ask for them' }),
  env: z.array(envName).default([]).meta({ description: 'Environment variables that scripts get' }),
});
