/** The section `scripts` of the configuration: which scripts may run, and within which limits. */

import * as z from 'zod';
import { duration, envName, glob, size } from '../values.ts';

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** A last label begins with a letter: all notations of IPv4 addresses (`127.1`, `0x7f000001`) end in a number. */
const NAME = `(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?`;
/** A domain name in lower case. */
export const HOST_NAME = new RegExp(`^(?=.{1,253}$)${NAME}$`);
/** In lower case, with at least two labels, so that `*.com` is not a pattern. */
export const DOMAIN_PATTERN = new RegExp(`^(?=.{1,253}$)(?:\\*\\.)?${NAME}$`);

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
