/**
 * The configuration without any settings, copied from the schema; a test keeps the two equal. Most servers start with
 * it and load no schema: parsing an empty configuration instead adds 5 % to the CPU time of a cold start.
 */

import type { Config } from './schema.ts';

export const DEFAULTS: Config = {
  sources: [],
  index: {},
  policy: { disabled: [], rules: [] },
  auth: {},
  http: { allowedHosts: [], allowedOrigins: [], trustedProxies: [], explore: false },
  limits: {
    callsPerMinute: 600,
    bytesPerMinute: '64MiB',
    bytesPerMinutePerAddress: '256MiB',
    callsInFlight: 16,
    maxConnections: 2_000,
    connectionsPerAddress: 500,
    maxBody: '1MiB',
    maxResponse: '32MiB',
    requestTimeout: '60s',
    sessions: 1_000,
    sessionsPerPrincipal: 64,
    sessionIdle: '30m',
  },
  telemetry: { metrics: true, log: 'info', auditRequired: false, redact: [] },
  tools: { gate: 'off', timeout: '60s', maxResult: '4MiB' },
  scripts: {
    enabled: false,
    sources: [],
    skills: [],
    confirm: 'when-supported',
    timeout: '30s',
    cpu: '30s',
    memory: '512MiB',
    processes: 64,
    fileSize: '64MiB',
    workSize: '256MiB',
    output: '1MiB',
    concurrency: 2,
    queue: 32,
    domains: [],
    env: [],
    keepOutput: '1h',
  },
  learn: { enabled: false, exclude: [], minPrincipals: 3 },
  validate: { rules: {} },
};

/** Matches variables that may be settings. */
const SECTIONS =
  /^SKILLGATE_(INDEX|EMBEDDER|VECTORS|POLICY|AUTH|HTTP|LIMITS|TELEMETRY|TOOLS|SCRIPTS|LEARN|STORE)/;

/** Whether the environment may hold settings. The schema decides which of these variables are settings. */
export const mayHoldSettings = (env: Readonly<Record<string, string | undefined>>) =>
  Object.keys(env).some((name) => SECTIONS.test(name));
