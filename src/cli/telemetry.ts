/** From the configuration to what is written down of a running server: metrics, the audit log, traces. */

import type { SourceStatus } from '../catalog/sources/fetched.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Principal } from '../gateway/principal.ts';
import type { ScriptRecord } from '../gateway/scripts/scripts.ts';
import { type UseCase, type UseCaseEnd, type Watch, watched } from '../gateway/watched.ts';
import type { Access, Audit } from '../telemetry/audit.ts';
import { TelemetryError } from '../telemetry/errors.ts';
import type { Metrics, MetricsOptions } from '../telemetry/metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { Config } from './config/schema.ts';
import { CliError, EXIT } from './exit-codes.ts';

export interface TelemetryOptions {
  readonly config: Config['telemetry'];
  readonly version: string;
  readonly log: (message: string) => void;
  /** What the open index holds; null while there is none. */
  readonly catalog: MetricsOptions['catalog'];
  readonly sources: () => readonly SourceStatus[];
  /** Metrics are read over HTTP: nobody could read those of another server. */
  readonly overHttp: boolean;
}

export interface Telemetry {
  readonly metrics: Metrics | null;
  readonly traces: Traces | null;
  /** Writes down an answered request, where that is wanted. */
  access(entry: Access): void;
  /** Writes down a run of a script, where that is wanted. */
  script(record: ScriptRecord): void;
  /** The gateway of a principal, with whatever is to be told of its use. */
  watched(gateway: Gateway, principal: Principal): Gateway;
  /** Writes and sends what waits. Never rejects. */
  close(): Promise<void>;
}

/** Rejects with `CliError` where the configuration asks for what cannot be had. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { config, version, log, overHttp } = options;
  const metrics = overHttp && config.metrics ? await metricsOf(options) : null;
  const audit = config.audit === undefined ? null : await auditOf(config.audit, options, metrics);
  const wantsRequests = config.log === 'debug' && config.audit !== 'stderr';
  const requests = wantsRequests ? await auditOf('stderr', options, metrics) : null;
  const traces = config.otlp === undefined ? null : await tracesOf(config.otlp, version, log);
  const hangUp = () => audit?.reopen();
  if (audit !== null && config.audit !== 'stderr') process.on('SIGHUP', hangUp);
  const watches = [metrics?.watch, audit?.watch, traces?.watch].filter((watch) => watch !== undefined);
  return {
    metrics,
    traces,
    access(entry) {
      audit?.access(entry);
      requests?.access(entry);
    },
    script: (record) => audit?.script(record),
    watched: (gateway, principal) =>
      watches.length === 0
        ? gateway
        : watched(gateway, { principal, watch: together(watches), now: () => performance.now() }),
    async close() {
      process.off('SIGHUP', hangUp);
      await Promise.all([audit?.close(), requests?.close(), traces?.close()]);
      metrics?.close();
    },
  };
}

/** Each part's packages are loaded where it is asked for: most servers start without them. */
async function metricsOf({ catalog, sources }: TelemetryOptions): Promise<Metrics> {
  const { openMetrics } = await import('../telemetry/metrics.ts');
  return openMetrics({ catalog, sources, now: () => new Date() });
}

async function auditOf(
  path: string,
  { config, log }: TelemetryOptions,
  metrics: Metrics | null,
): Promise<Audit> {
  const { openAudit } = await import('../telemetry/audit.ts');
  try {
    return openAudit({
      path,
      redact: config.redact,
      log,
      onLost: () => metrics?.auditLost(),
      now: () => new Date(),
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.usage, `telemetry.redact or telemetry.audit cannot be used: ${reason}.`, cause);
  }
}

async function tracesOf(otlp: string, version: string, log: (message: string) => void): Promise<Traces> {
  const { openTraces } = await import('../telemetry/traces.ts');
  try {
    return await openTraces({ otlp, version, log });
  } catch (error) {
    if (error instanceof TelemetryError) throw new CliError(EXIT.usage, error.message, error);
    throw error;
  }
}

const together =
  (watches: readonly Watch[]): Watch =>
  (useCase: UseCase) => {
    const ends = watches.map((watch) => watch(useCase));
    return (end: UseCaseEnd) => {
      for (const told of ends) told(end);
    };
  };
