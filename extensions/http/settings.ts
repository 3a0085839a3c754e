/** Settings of the HTTP server and their defaults. Units are in the names. */

import type { HttpServing } from '../../src/app/extension-api.ts';
import type { Signals } from '../../src/base/timing.ts';
import type { AuthSettings } from './auth/authenticate.ts';
import type { RateLimits } from './rate-limits.ts';
import type { SessionLimits } from './sessions.ts';

export interface HttpLimits extends RateLimits, SessionLimits {
  /** Of all principals of an address together. */
  readonly bytesPerMinutePerAddress: number;
  /** Calls of one principal that are not answered yet. */
  readonly callsInFlight: number;
  /** With an unanswered request at the same time; of an address without an admitted caller, an eighth. */
  readonly maxConnections: number;
  /** Largest request body. */
  readonly maxBodyBytes: number;
  /** Largest answer; for a stream, all of it. */
  readonly maxResponseBytes: number;
  /** Longest time for the answer of a call. */
  readonly requestTimeoutMs: number;
}

/** The defaults of the configuration. Queries are cut at 8,000 characters and nothing else in a request is long. */
export const DEFAULT_LIMITS: HttpLimits = {
  callsPerMinute: 600,
  bytesPerMinute: 64 * 2 ** 20,
  bytesPerMinutePerAddress: 256 * 2 ** 20,
  callsInFlight: 16,
  maxConnections: 2_000,
  sessions: 1_000,
  sessionsPerPrincipal: 64,
  sessionIdleMs: 30 * 60_000,
  maxBodyBytes: 2 ** 20,
  maxResponseBytes: 32 * 2 ** 20,
  requestTimeoutMs: 60_000,
};

export interface HttpOptions extends HttpServing {
  /** Any host other than loopback needs `auth`. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The public URL behind a proxy: its base, or the full URL of the MCP endpoint. */
  readonly publicUrl?: URL | undefined;
  /** Allowed `Host` headers, in addition to loopback, `host` and the host of `publicUrl`. */
  readonly allowedHosts?: readonly string[];
  /** Origins (`https://app.example`) or hosts (`app.example`) whose pages may send requests. */
  readonly allowedOrigins?: readonly string[];
  /** Addresses and networks of proxies, whose `X-Forwarded-For` says where a request comes from. */
  readonly trustedProxies?: readonly string[];
  readonly auth?: AuthSettings;
  readonly limits?: Partial<HttpLimits>;
  /** Default: those of the process. */
  readonly signals?: Signals;
  readonly now?: () => Date;
}

/** Path of the MCP endpoint, below any path of a proxy. */
export const MCP_PATH = '/mcp';
/** Liveness and readiness probes. */
export const HEALTH_PATH = '/healthz';
export const READY_PATH = '/readyz';

/** The public URL of the MCP endpoint. */
export function resourceUrl(publicUrl: URL | undefined, listening: string): URL {
  if (publicUrl === undefined) return new URL(listening);
  const url = new URL(publicUrl);
  if (url.pathname === '/') url.pathname = MCP_PATH;
  return url;
}
