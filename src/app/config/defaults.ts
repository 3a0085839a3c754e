/**
 * The configuration without any settings, copied from the schema; a test keeps the two equal. Most servers start with
 * it and load no schema: parsing an empty configuration instead adds 5 % to the CPU time of a cold start.
 */

import type { Config } from './schema.ts';

export const DEFAULTS: Config = {
  sources: [],
  index: {},
  pinned: [],
  policy: { disabled: [], rules: [] },
  auth: {},
  http: { allowedHosts: [], allowedOrigins: [], trustedProxies: [], explore: false },
  limits: {
    callsPerMinute: 600,
    bytesPerMinute: '64MiB',
    callsInFlight: 16,
    maxConnections: 2_000,
    requestTimeout: '60s',
  },
  telemetry: { log: 'info', auditRequired: false, redact: [] },
  tools: { gate: 'off' },
  scripts: {
    enabled: false,
    sources: [],
    skills: [],
    confirm: 'when-supported',
    timeout: '30s',
    memory: '512MiB',
    domains: [],
    folders: [],
    env: [],
  },
  learn: { enabled: false, minPrincipals: 3 },
  validate: { rules: {} },
};

/** The environment variables of settings: those that a deployment sets. All others go into the file, or `--set`. */
export const VARIABLES: Readonly<Record<string, string>> = {
  SKILLGATE_INDEX: 'index.folder',
  SKILLGATE_EMBEDDER: 'index.embedder',
  SKILLGATE_VECTORS: 'index.vectors',
  SKILLGATE_AUTH_TOKENS: 'auth.tokens',
  SKILLGATE_HTTP_HOST: 'http.host',
  SKILLGATE_HTTP_PORT: 'http.port',
  SKILLGATE_HTTP_PUBLIC_URL: 'http.publicUrl',
  SKILLGATE_HTTP_ALLOWED_HOSTS: 'http.allowedHosts',
  SKILLGATE_HTTP_ALLOWED_ORIGINS: 'http.allowedOrigins',
  SKILLGATE_TELEMETRY_LOG: 'telemetry.log',
  SKILLGATE_TELEMETRY_AUDIT: 'telemetry.audit',
  SKILLGATE_STORE_URL: 'store.url',
  SKILLGATE_LEARN: 'learn',
};
