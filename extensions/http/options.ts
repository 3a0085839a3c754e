/** The configured options of the HTTP transport. */

import { bytes, milliseconds } from '../../src/app/config/units.ts';
import type { Config, HttpFlags } from '../../src/app/extension-api.ts';
import type { HttpOptions } from './http.ts';
import { DEFAULT_LIMITS } from './settings.ts';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 3_000;

type ConfiguredHttp = Pick<
  HttpOptions,
  'host' | 'port' | 'publicUrl' | 'allowedHosts' | 'allowedOrigins' | 'trustedProxies' | 'auth' | 'limits'
>;

export function toHttpOptions({ http, auth, limits }: Config, flags: HttpFlags): ConfiguredHttp {
  return {
    host: flags.host ?? http.host ?? DEFAULT_HOST,
    port: flags.port ?? http.port ?? DEFAULT_PORT,
    publicUrl: http.publicUrl === undefined ? undefined : new URL(http.publicUrl),
    allowedHosts: http.allowedHosts,
    allowedOrigins: http.allowedOrigins,
    trustedProxies: http.trustedProxies,
    auth,
    limits: {
      ...DEFAULT_LIMITS,
      callsPerMinute: limits.callsPerMinute,
      bytesPerMinute: bytes(limits.bytesPerMinute),
      callsInFlight: limits.callsInFlight,
      maxConnections: limits.maxConnections,
      requestTimeoutMs: milliseconds(limits.requestTimeout),
    },
  };
}
