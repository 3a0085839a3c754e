/** The configured options of the HTTP transport. */

import type { HttpOptions } from '../serve/http/http.ts';
import { DEFAULT_LIMITS } from '../serve/http/settings.ts';
import type { Config } from './config/schema.ts';
import { bytes, milliseconds } from './config/units.ts';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 3_000;

export interface HttpFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

type ConfiguredHttp = Pick<
  HttpOptions,
  | 'host'
  | 'port'
  | 'publicUrl'
  | 'tls'
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'trustedProxies'
  | 'auth'
  | 'limits'
>;

export function httpOptionsOf({ http, auth, limits }: Config, flags: HttpFlags): ConfiguredHttp {
  return {
    host: flags.host ?? http.host ?? DEFAULT_HOST,
    port: flags.port ?? http.port ?? DEFAULT_PORT,
    publicUrl: http.publicUrl === undefined ? undefined : new URL(http.publicUrl),
    tls: http.tls,
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
