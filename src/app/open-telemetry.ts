/** Opens the configured telemetry of a server: metrics, the audit log, traces. */

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../base/errors.ts';
import type { Observer, UseCase, UseCaseEnd } from '../gateway/intercept.ts';
import type { ServedPipeline } from '../gateway/pipeline.ts';
import type { ScriptRecord } from '../gateway/scripts.ts';
import type { Toolbox } from '../gateway/tools/toolbox.ts';
import type { Access, Audit, AuditEvent } from '../serve/telemetry/audit.ts';
import type { LogFile } from '../serve/telemetry/log-file.ts';
import type { Metrics, MetricsOptions } from '../serve/telemetry/metrics.ts';
import type { Traces } from '../serve/telemetry/traces.ts';
import type { SourceStatus } from '../sources/fetched.ts';
import { AppError } from './app-error.ts';
import type { Config } from './config/schema.ts';

/** The audit log alone, for commands; null where none is configured, or it is stderr. */
export async function openCommandAudit(
  config: Config['telemetry'],
  log: (message: string) => void,
): Promise<Telemetry | null> {
  if (config.audit === undefined || config.audit === 'stderr') return null;
  const { otlp: _, ...own } = config;
  const only = { ...own, log: 'info' as const };
  return openTelemetry({
    config: only,
    version: '',
    log,
    catalog: async () => null,
    sources: () => [],
    overHttp: false,
  });
}

export interface TelemetryOptions {
  readonly config: Config['telemetry'];
  readonly version: string;
  readonly log: (message: string) => void;
  /** What the open index holds; null while none is open. */
  readonly catalog: MetricsOptions['catalog'];
  readonly sources: () => readonly SourceStatus[];
  readonly changes?: MetricsOptions['changes'];
  readonly staleMs?: MetricsOptions['staleMs'];
  readonly rights?: MetricsOptions['rights'];
  /** Id of the JSON-RPC request that is being answered. */
  readonly requestId?: () => string | number | undefined;
  /** Opens the audit log that gateways share, which then replaces that of the configuration. Gets what counts lost lines. */
  readonly sharedAudit?: ((onLost: () => void) => Promise<LogFile | undefined>) | undefined;
  /** Metrics need HTTP: nothing else could read them. */
  readonly overHttp: boolean;
}

export interface Telemetry {
  readonly metrics: Metrics | null;
  readonly traces: Traces | null;
  /** Logs an answered request, where configured. */
  access(entry: Access): void;
  /** Logs what is not a call, where configured. */
  event(event: AuditEvent): void;
  /** Logs a run of a script, where configured. */
  script(record: ScriptRecord): void;
  /** Records a call that no gateway makes, such as one of the page. */
  readonly observe: Observer;
  /** Each principal's gateway, with tools of other servers, whose calls are recorded. */
  served(catalog: ServedPipeline['catalog'], toolbox?: Toolbox | null): ServedPipeline['catalog'];
  /** Writes and sends pending records. Never rejects. */
  close(): Promise<void>;
}

/** Rejects with `SETTING_INVALID` where the configuration asks for something that does not work here. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { config, version, log, overHttp } = options;
  const metrics = overHttp ? await startMetrics(options) : null;
  const target = await options.sharedAudit?.(() => metrics?.auditLost());
  const path = target === undefined ? config.audit : 'the database';
  const audit = path === undefined ? null : await startAudit(path, options, metrics, target);
  const wantsRequests = config.log === 'debug' && config.audit !== 'stderr';
  const requests = wantsRequests ? await startAudit('stderr', options, metrics) : null;
  const traces =
    config.otlp === undefined
      ? null
      : (await import('../serve/telemetry/traces.ts')).openTraces({ otlp: config.otlp, version, log });
  const reopen = () => audit?.reopen();
  if (audit !== null && config.audit !== 'stderr') process.on('SIGHUP', reopen);
  const observers = [metrics?.observe, audit?.observe, traces?.observe].filter(
    (observe) => observe !== undefined,
  );
  return {
    metrics,
    traces,
    access(entry) {
      audit?.access(entry);
      requests?.access(entry);
    },
    event: (event) => audit?.event(event),
    script: (record) => audit?.script(record),
    observe: combined(observers),
    served:
      (catalog, toolbox = null) =>
      async (principal) => {
        // The pipeline's code is loaded by the first call, since a server lists its tools without it.
        const { servedPipeline } = await import('../gateway/pipeline.ts');
        return servedPipeline({
          catalog,
          toolbox,
          auditFails: audit !== null && config.auditRequired ? audit.failing : null,
          observe: observers.length === 0 ? null : combined(observers),
          now: () => performance.now(),
        })(principal);
      },
    async close() {
      process.off('SIGHUP', reopen);
      await Promise.all([audit?.close(), requests?.close(), traces?.close()]);
      metrics?.close();
    },
  };
}

/** Imports are dynamic, since most servers start without these packages. */
async function startMetrics(options: TelemetryOptions): Promise<Metrics> {
  const { catalog, sources, changes, staleMs, rights } = options;
  const { openMetrics } = await import('../serve/telemetry/metrics.ts');
  return openMetrics({ catalog, sources, changes, staleMs, rights, now: () => new Date() });
}

async function startAudit(
  path: string,
  { config, log, requestId }: TelemetryOptions,
  metrics: Metrics | null,
  target?: LogFile,
): Promise<Audit> {
  const { openAudit } = await import('../serve/telemetry/audit.ts');
  try {
    if (config.auditRequired && path !== 'stderr' && target === undefined) requireWritable(path);
    return openAudit({
      path,
      target,
      requestId,
      redact: config.redact,
      log,
      onLost: () => metrics?.auditLost(),
      now: () => new Date(),
    });
  } catch (cause) {
    throw new AppError(
      'SETTING_INVALID',
      `telemetry.redact or telemetry.audit cannot be used: ${errorMessage(cause)}.`,
      { cause },
    );
  }
}

/** Throws what the system refuses with. */
function requireWritable(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a', 0o640));
}

const combined =
  (observers: readonly Observer[]): Observer =>
  (useCase: UseCase) => {
    const ends = observers.map((observe) => observe(useCase));
    return (end: UseCaseEnd) => {
      for (const notify of ends) notify(end);
    };
  };
