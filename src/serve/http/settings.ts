/** Settings of the HTTP server and their defaults. Units are in the names. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Signals } from '../../base/timing.ts';
import type { ChangeStatus } from '../../catalog/schedule.ts';
import type { Principal } from '../../gateway/policy/principal.ts';
import type { ChangeBus } from '../../mcp/changes.ts';
import type { Access } from '../telemetry/audit.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { AuthSettings } from './auth/authenticate.ts';
import type { Counter, RateLimits } from './rate-limits.ts';
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

/** An HTTP answer, whole. */
export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** The page of `skillgate explore`: its files, and its answers for each principal, as `wanted` of the request's headers asks. */
export interface Page {
  /** For every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** By path relative to the page; the page itself is at the empty path. Null where there is none. */
  file(path: string, wanted: IncomingHttpHeaders): Sent | null;
  /** How many calls a request counts for, from 1. */
  callsOf(request: unknown): number;
  /** Never rejects. */
  answer(name: string, request: unknown, principal: Principal, wanted: IncomingHttpHeaders): Promise<Sent>;
}

export interface HttpOptions {
  /** Writes one line for the operator, on stderr. */
  readonly log: (message: string) => void;
  /** Any host other than loopback needs `auth`. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The public URL behind a proxy: its base, or the full URL of the MCP endpoint. */
  readonly publicUrl?: URL | undefined;
  /** Absolute paths of PEM files. Default: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Allowed `Host` headers, in addition to loopback, `host` and the host of `publicUrl`. */
  readonly allowedHosts?: readonly string[];
  /** Origins (`https://app.example`) or hosts (`app.example`) whose pages may send requests. */
  readonly allowedOrigins?: readonly string[];
  /** Addresses and networks of proxies, whose `X-Forwarded-For` says where a request comes from. */
  readonly trustedProxies?: readonly string[];
  readonly auth?: AuthSettings;
  readonly limits?: Partial<HttpLimits>;
  /** Counts for the rate limits. Default: in this process. */
  readonly counter?: ((prefix: string, windowMs: number) => Counter) | undefined;
  /** The limit of a principal for whom another one holds. */
  readonly callsPerMinuteOf?: (principal: Principal) => number | undefined;
  /** Why the server is not ready, as a fixed sentence; null if it is. Default: ready. */
  readonly notReady?: () => string | null;
  /** What is wrong although the server is ready, as a sentence; null if nothing is. Default: nothing. */
  readonly warning?: () => string | null;
  /** Changes of the folders, for `/readyz`; null where others see them. */
  readonly folderChanges?: () => ChangeStatus | null;
  /** Also serves the page of `skillgate explore`. Default: it does not exist. */
  readonly page?: Page | null;
  readonly metrics?: Metrics | null;
  readonly traces?: Traces | null;
  readonly onAccess?: (entry: Access) => void;
  /** Called once requests are answered, with the URL of the MCP endpoint and its actual port. */
  readonly onListening?: (url: string) => void;
  /** Notifies subscribers of changes. */
  readonly changes?: ChangeBus;
  /** Default: those of the process. */
  readonly signals?: Signals;
  readonly now?: () => Date;
}

/** Path of the MCP endpoint, below any path of a proxy. */
export const MCP_PATH = '/mcp';
/** The page of `skillgate explore`, where it is served. */
export const EXPLORE_PATH = '/explore';
/** Liveness and readiness probes. */
export const HEALTH_PATH = '/healthz';
export const READY_PATH = '/readyz';

/** The public URL of the MCP endpoint. */
export function resourceOf(publicUrl: URL | undefined, listening: string): URL {
  if (publicUrl === undefined) return new URL(listening);
  const url = new URL(publicUrl);
  if (url.pathname === '/') url.pathname = MCP_PATH;
  return url;
}
