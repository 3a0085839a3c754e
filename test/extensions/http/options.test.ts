import { describe, expect, it } from 'vitest';
import { toHttpOptions } from '../../../extensions/http/options.ts';
import { configSchema } from '../../../src/app/config/schema.ts';

describe('toHttpOptions', () => {
  it('defaults to this machine, with safe limits', () => {
    expect(toHttpOptions(configSchema.parse({}), {})).toEqual({
      host: '127.0.0.1',
      port: 3_000,
      publicUrl: undefined,
      allowedHosts: [],
      allowedOrigins: [],
      trustedProxies: [],
      auth: {},
      limits: {
        callsPerMinute: 600,
        bytesPerMinute: 67_108_864,
        bytesPerMinutePerAddress: 268_435_456,
        callsInFlight: 16,
        maxConnections: 2_000,
        maxBodyBytes: 1_048_576,
        maxResponseBytes: 33_554_432,
        requestTimeoutMs: 60_000,
        sessions: 1_000,
        sessionsPerPrincipal: 64,
        sessionIdleMs: 1_800_000,
      },
    });
  });

  it('takes the configuration, and flags override it', () => {
    const config = configSchema.parse({
      http: {
        host: '10.0.0.1',
        port: 8_443,
        publicUrl: 'https://skills.example',
        allowedHosts: ['a.example'],
      },
      auth: { tokens: '/etc/tokens.json' },
      limits: { callsPerMinute: 7, requestTimeout: '5s' },
    });
    expect(toHttpOptions(config, {})).toMatchObject({
      host: '10.0.0.1',
      port: 8_443,
      publicUrl: new URL('https://skills.example'),
      allowedHosts: ['a.example'],
      auth: { tokens: '/etc/tokens.json' },
      limits: { callsPerMinute: 7, requestTimeoutMs: 5_000 },
    });
    expect(toHttpOptions(config, { host: '127.0.0.1', port: 0 })).toMatchObject({
      host: '127.0.0.1',
      port: 0,
    });
  });
});
