/**
 * The schema of `skillgate.config.json` (or `.yaml`). Refuses unknown settings, since a misspelt policy rule must not
 * count as no rule. Each room defines what its settings mean. Paths are relative to the file.
 */

import * as z from 'zod';
import { isRule } from '../../skills/diagnostics.ts';
import { ardSchema } from './sections/ard.ts';
import { learnSchema } from './sections/learn.ts';
import { scriptsSchema } from './sections/scripts.ts';
import { storeSchema } from './sections/store.ts';
import { duration, envName, glob, size } from './values.ts';

const sourceName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'takes a-z, 0-9 and -');
/** A wildcard is only allowed for all extensions of a browser: `moz-extension://*`. */
const ORIGIN = /^(?!https?:\/\/\*$)(?:[a-z][a-z0-9+.-]*:\/\/\*|[^*]+)$/;
const network = z
  .string()
  .refine(
    (text) => z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).safeParse(text).success,
    'takes an address or a network: 10.0.0.1, 10.0.0.0/8, fd00::/8',
  );
const everySource = {
  name: sourceName.optional().meta({ description: 'Default: derived from the location' }),
};

/** A public key as `minisign` prints it: 42 bytes. */
const minisign = z
  .strictObject({
    minisign: z.string().regex(/^RW[A-Za-z0-9+/]{54}$/, 'takes the line of a .pub file that begins with RW'),
  })
  .meta({ description: 'Only content with a detached signature by this key is used' });

const localSourceSchema = z.strictObject({
  kind: z.literal('local'),
  ...everySource,
  root: z.string().min(1),
  links: z.enum(['follow', 'none']).optional().meta({
    description:
      'Symbolic links. Default: none where the gateway serves other people (--http, auth, policy), else follow',
  }),
});
const gitSourceSchema = z.strictObject({
  kind: z.literal('git'),
  ...everySource,
  url: z.string().min(1),
  ref: z.string().min(1).optional().meta({ description: 'Branch, tag or commit; default: the remote HEAD' }),
  folder: z.string().min(1).optional().meta({ description: 'Subfolder with the skills' }),
  signedBy: z
    .union([
      z.strictObject({ allowedSigners: z.string().min(1) }),
      z.strictObject({ gnupgHome: z.string().min(1) }),
    ])
    .optional()
    .meta({ description: 'Keys whose signed commits are used: a file of SSH keys, or a GnuPG home' }),
  tokenEnv: envName.optional().meta({ description: 'Environment variable that holds a token for HTTPS' }),
});
const mcpSourceSchema = z
  .strictObject({
    kind: z.literal('mcp'),
    ...everySource,
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z
      .record(z.string(), z.string())
      .default({})
      .meta({ description: '$NAME in braces expands from the environment' }),
    cwd: z.string().optional(),
    url: z.url().optional(),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .meta({ description: '$NAME in braces expands from the environment' }),
    fetch: z.enum(['list', 'instructions', 'all']).optional().meta({
      description:
        'What is fetched ahead. Default: all with a store, else instructions; files when they are read',
    }),
    tools: z.boolean().default(true).meta({ description: 'use_tool may call its tools' }),
    allowPrivate: z.boolean().default(false).meta({ description: 'Allow a private address' }),
  })
  .refine((source) => (source.command === undefined) !== (source.url === undefined), {
    message: 'takes either command or url',
  });
const wellKnownSourceSchema = z.strictObject({
  kind: z.literal('well-known'),
  ...everySource,
  url: z.url().meta({ description: 'The site that holds /.well-known/agent-skills/index.json' }),
  headers: z.record(z.string(), z.string()).default({}),
  allowPrivate: z.boolean().default(false),
  signedBy: minisign.optional(),
});
const archiveSourceSchema = z.strictObject({
  kind: z.literal('archive'),
  ...everySource,
  path: z.string().min(1).meta({ description: 'A .zip, .tar, .tar.gz or .tgz' }),
  folder: z.string().min(1).optional(),
  signedBy: minisign.optional(),
});
export const sourceSchema = z.discriminatedUnion('kind', [
  localSourceSchema,
  gitSourceSchema,
  mcpSourceSchema,
  wellKnownSourceSchema,
  archiveSourceSchema,
]);

const choice = z.strictObject({
  sources: z.array(glob).optional(),
  skills: z.array(glob).optional().meta({ description: 'By id' }),
  tags: z.array(glob).optional(),
});
const denied = choice.extend({
  suspicious: z.boolean().optional().meta({ description: 'Whether the scan marked the skill as suspicious' }),
});
export const policySchema = z.strictObject({
  /** What a principal without a rule sees: all (`allow`) or nothing. Default: `deny` with auth, else `allow`. */
  default: z.enum(['allow', 'deny']).optional(),
  disabled: z.array(glob).default([]).meta({ description: 'Skills hidden from everyone, by id' }),
  rules: z
    .array(
      z.strictObject({
        who: z.array(glob).min(1).meta({ description: 'Principals, `scope:…`, `*` for all' }),
        allow: z.array(choice).default([]).meta({ description: 'Visible: what matches one of these' }),
        deny: z.array(denied).default([]).meta({ description: 'Hidden, even if a rule allows it' }),
        tools: z.array(glob).default([]).meta({ description: '`server/tool` that use_tool may call' }),
        scripts: z.array(glob).default([]).meta({ description: 'Skills whose scripts may run, by id' }),
        callsPerMinute: z.int().min(1).optional(),
      }),
    )
    .default([]),
});

const authSchema = z.strictObject({
  tokens: z.string().optional().meta({ description: 'File of hashed tokens (skillgate token create)' }),
  oauth: z
    .strictObject({
      issuer: z.url(),
      audience: z.string().min(1),
      requiredScopes: z.array(z.string().min(1)).default([]),
      allowPrivate: z.boolean().default(false).meta({ description: 'Allow a private address of the issuer' }),
    })
    .optional(),
});

const httpSchema = z.strictObject({
  host: z.string().optional(),
  port: z.int().min(0).max(65_535).optional(),
  publicUrl: z.url().optional().meta({ description: 'The URL for clients, if behind a proxy' }),
  allowedHosts: z.array(z.string().min(1)).default([]),
  allowedOrigins: z
    .array(z.string().regex(ORIGIN, 'takes no wildcard for a site: list each origin or host'))
    .default([])
    .meta({
      description:
        'Pages that may ask: https://app.example, app.example for any scheme and port, moz-extension://*',
    }),
  explore: z.boolean().default(false).meta({
    description: 'Also serve the page of skillgate explore, at /explore/, to the same callers',
  }),
  trustedProxies: z.array(network).default([]).meta({
    description: 'Addresses and networks of proxies whose X-Forwarded-For says where a request comes from',
  }),
});

const limitsSchema = z.strictObject({
  callsPerMinute: z.int().min(1).default(600),
  bytesPerMinute: size.default('64MiB'),
  callsInFlight: z.int().min(1).default(16).meta({ description: 'Unanswered calls of one principal' }),
  maxConnections: z.int().min(1).default(2_000),
  requestTimeout: duration.default('60s'),
});

const telemetrySchema = z.strictObject({
  log: z.enum(['silent', 'info', 'debug']).default('info').meta({
    description: 'What serve logs on stderr: nothing, notable events, or also each request',
  }),
  audit: z.string().optional().meta({ description: 'File of the audit log (JSON lines), or `stderr`' }),
  auditRequired: z.boolean().default(false).meta({
    description: 'Refuse to start, and every call, while the audit log cannot be written',
  }),
  redact: z
    .array(z.string().min(1))
    .default([])
    .meta({ description: 'Arguments that the log masks, as paths: arguments.query' }),
  otlp: z.url().optional().meta({ description: 'OpenTelemetry collector for traces (OTLP over HTTP)' }),
});

const toolsSchema = z.strictObject({
  gate: z.enum(['off', 'loaded', 'all']).default('off').meta({
    description: 'Which tools use_tool calls: none, those of skills that the session loaded, or all',
  }),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  sources: z.array(sourceSchema).default([]),
  refresh: duration.default('15m').meta({ description: 'How often sources elsewhere are fetched again' }),
  index: z
    .strictObject({
      folder: z.string().optional(),
      embedder: z.string().optional(),
    })
    .prefault({}),
  pinned: z.array(z.string().min(1)).default([]).meta({
    description: 'Skills named in the server’s instructions: ids or names, tag:…, source:…',
  }),
  policy: policySchema.prefault({}),
  auth: authSchema.prefault({}),
  http: httpSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  telemetry: telemetrySchema.prefault({}),
  tools: toolsSchema.prefault({}),
  scripts: scriptsSchema.prefault({}),
  store: storeSchema.optional().meta({ description: 'One catalog for several gateways' }),
  ard: ardSchema.optional().meta({ description: 'Agentic Resource Discovery, with serve --http' }),
  learn: learnSchema.prefault(false),
  validate: z
    .strictObject({
      rules: z
        .record(
          z.string().refine((id): boolean => isRule(id), 'names no rule: docs/diagnostics.md lists all'),
          z.enum(['off', 'info', 'warning', 'error']),
        )
        .default({})
        .meta({ description: 'Rules of skillgate validate by id: off, or with another severity' }),
    })
    .prefault({}),
});

export type Config = z.output<typeof configSchema>;
export type SourceConfig = z.output<typeof sourceSchema>;
