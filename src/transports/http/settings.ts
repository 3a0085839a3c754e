/** What may be set of serving over HTTP, with what holds where nothing is said. Units are in the names. */

import type { Principal } from '../../gateway/principal.ts';
import type { ChangeBus } from '../../mcp/change-bus.ts';
import type { Access } from '../../telemetry/audit.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Traces } from '../../telemetry/traces.ts';
import type { AuthSettings } from '../auth/authenticate.ts';
import type { Signals } from '../signals.ts';
import type { RateLimits } from './rate-limits.ts';

export interface HttpLimits extends RateLimits {
  readonly maxConnections: number;
  /** Longest request body. */
  readonly maxBodyBytes: number;
  /** Longest answer; of a stream all of it. */
  readonly maxResponseBytes: number;
  /** Longest time until a call is answered. */
  readonly requestTimeoutMs: number;
}

/** Queries are cut at 8,000 characters and nothing else that is sent is long; the rest is that of the configuration. */
export const DEFAULT_LIMITS: HttpLimits = {
  callsPerMinute: 600,
  bytesPerMinute: 64 * 2 ** 20,
  maxConnections: 2_000,
  maxBodyBytes: 2 ** 20,
  maxResponseBytes: 32 * 2 ** 20,
  requestTimeoutMs: 60_000,
};

export interface HttpOptions {
  /** Writes one line for the operator, on stderr. */
  readonly log: (message: string) => void;
  /** Others than a loopback address or `localhost` need `auth`. */
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** What clients call it where a proxy stands before it: its base, or the very address of MCP. */
  readonly publicUrl?: URL | undefined;
  /** Files in PEM, absolute; plain HTTP where not given. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Names that requests may have in `Host`, beside the loopback's, `host` and that of `publicUrl`. */
  readonly allowedHosts?: readonly string[];
  /** Origins (`https://app.example`) or their hosts (`app.example`) whose pages may ask. */
  readonly allowedOrigins?: readonly string[];
  readonly auth?: AuthSettings;
  readonly limits?: Partial<HttpLimits>;
  /** Limits of one principal, where they differ. */
  readonly limitsOf?: (principal: Principal) => Partial<RateLimits>;
  /** Why it cannot answer yet, in a fixed sentence; null where it can. Default: it can. */
  readonly notReady?: () => string | null;
  readonly metrics?: Metrics | null;
  readonly traces?: Traces | null;
  readonly onAccess?: (entry: Access) => void;
  /** Told once requests are answered: the address of MCP with the port that was taken. */
  readonly onListening?: (url: string) => void;
  /** Tells subscribers of changes, each of its own. */
  readonly changes?: ChangeBus;
  /** Those of the process, where not given. */
  readonly signals?: Signals;
  readonly now?: () => Date;
}

/** Where MCP is, below whatever a proxy puts before it. */
export const MCP_PATH = '/mcp';
/** For whoever starts and watches the process: whether it lives, and whether it answers. */
export const HEALTH_PATH = '/healthz';
export const READY_PATH = '/readyz';

/** The MCP endpoint as clients call it. */
export function resourceOf(publicUrl: URL | undefined, listening: string): URL {
  if (publicUrl === undefined) return new URL(listening);
  const url = new URL(publicUrl);
  if (url.pathname === '/') url.pathname = MCP_PATH;
  return url;
}
