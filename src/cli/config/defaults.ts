/**
 * What is configured where nothing is: what the schema makes of nothing at all, as a test holds it to. A server that starts
 * with it, as most do, loads no schema; making one and having it fill in its defaults takes 20 ms of a cold start.
 */

import type { Config } from './schema.ts';

export const DEFAULTS: Config = {
  sources: [],
  index: {},
  policy: { disabled: [], rules: [] },
  auth: {},
  http: { allowedHosts: [], allowedOrigins: [] },
  limits: {
    callsPerMinute: 600,
    bytesPerMinute: '64MiB',
    maxConnections: 2_000,
    maxBody: '1MiB',
    maxResponse: '32MiB',
    requestTimeout: '60s',
  },
  telemetry: { metrics: true, log: 'info', redact: [] },
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
};

/** Variables that may be settings. */
const SECTIONS = /^SKILLGATE_(INDEX|EMBEDDER|VECTORS|POLICY|AUTH|HTTP|LIMITS|TELEMETRY|TOOLS|SCRIPTS)/;

/** Whether the environment may say something else: which of these variables are settings, the schema knows. */
export const maySaySomething = (env: Readonly<Record<string, string | undefined>>) =>
  Object.keys(env).some((name) => SECTIONS.test(name));
