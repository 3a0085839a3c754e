/** From the configuration to what `transports/http.ts` takes. */

import type { HttpOptions } from '../transports/http.ts';
import type { Config } from './config/schema.ts';
import { bytes, milliseconds } from './config/units.ts';

/** Where HTTP is served unless somebody says otherwise. */
const HTTP_HOST = '127.0.0.1';
const HTTP_PORT = 3_000;

export interface Flags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

type Configured = Pick<
  HttpOptions,
  'host' | 'port' | 'publicUrl' | 'tls' | 'allowedHosts' | 'allowedOrigins' | 'auth' | 'limits'
>;

export function httpOptionsOf({ http, auth, limits }: Config, flags: Flags): Configured {
  return {
    host: flags.host ?? http.host ?? HTTP_HOST,
    port: flags.port ?? http.port ?? HTTP_PORT,
    publicUrl: http.publicUrl === undefined ? undefined : new URL(http.publicUrl),
    tls: http.tls,
    allowedHosts: http.allowedHosts,
    allowedOrigins: http.allowedOrigins,
    auth,
    limits: {
      callsPerMinute: limits.callsPerMinute,
      bytesPerMinute: bytes(limits.bytesPerMinute),
      maxConnections: limits.maxConnections,
      maxBodyBytes: bytes(limits.maxBody),
      maxResponseBytes: bytes(limits.maxResponse),
      requestTimeoutMs: milliseconds(limits.requestTimeout),
    },
  };
}
