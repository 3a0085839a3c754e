/**
 * OpenTelemetry traces for a configured collector: a span for each request, which continues the caller's trace, and a
 * child span for each use case. Only this file loads OpenTelemetry's packages. Spans hold names, principals and outcomes,
 * but no arguments and no results.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '../../base/timing.ts';
import type { Observer } from '../../gateway/intercept.ts';

/** Time limit of an export with its retries, ms: a process does not end before its last one has. */
const CLOSE_MS = 3_000;
/** W3C trace context: version, trace, span, flags. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TracesOptions {
  /** URL of the collector: its base, or its path for traces. */
  readonly otlp: string;
  readonly version: string;
  readonly log: (message: string) => void;
  /** Default: OTLP over HTTP. */
  readonly exporter?: SpanExporter;
}

export interface Traces {
  /** Runs the handler of a request inside a span. The handler calls `end` to close the span. */
  request<Result>(
    request: { readonly method: string; readonly path: string; readonly traceparent: string | undefined },
    run: (end: (status: number) => void) => Result,
  ): Result;
  readonly observe: Observer;
  /** Sends pending spans. Never rejects. */
  close(): Promise<void>;
}

export function openTraces({ otlp, version, log, exporter }: TracesOptions): Traces {
  const inner = exporter ?? new OTLPTraceExporter({ url: tracesUrl(otlp), timeoutMillis: CLOSE_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'skillgate', 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter: withFailureLog(inner, otlp, log) })],
  });
  const tracer = provider.getTracer('skillgate', version);
  const current = new AsyncLocalStorage<api.Context>();
  const failed = (span: api.Span, message: string) =>
    span.setStatus({ code: api.SpanStatusCode.ERROR, message });

  const parentContext = (traceparent: string | undefined): api.Context => {
    const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return api.ROOT_CONTEXT;
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return api.trace.setSpanContext(api.ROOT_CONTEXT, remote);
  };

  return {
    request({ method, path, traceparent }, run) {
      const parent = parentContext(traceparent);
      const attributes = { 'http.request.method': method, 'url.path': path };
      const span = tracer.startSpan(`${method} ${path}`, { kind: api.SpanKind.SERVER, attributes }, parent);
      return current.run(api.trace.setSpan(parent, span), () =>
        run((status) => {
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) failed(span, `status ${status}`);
          span.end();
        }),
      );
    },
    observe({ name, principal }) {
      const attributes = { 'enduser.id': principal.id };
      const span = tracer.startSpan(
        `skillgate.${name}`,
        { attributes },
        current.getStore() ?? api.ROOT_CONTEXT,
      );
      return ({ outcome }) => {
        span.setAttribute('skillgate.outcome', outcome);
        if (outcome !== 'ok') failed(span, outcome);
        span.end();
      };
    },
    async close() {
      const shutdown = provider.shutdown().catch(() => {});
      await withTimeout(shutdown, CLOSE_MS, () => {});
    },
  };
}

/** The URL for traces: /v1/traces below the base of the collector. */
export function tracesUrl(otlp: string): string {
  const url = new URL(otlp);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** Logs the first failed export, and again only after a successful one. */
function withFailureLog(inner: SpanExporter, otlp: string, log: (message: string) => void): SpanExporter {
  let logged = false;
  return {
    export(spans, done) {
      inner.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !logged)
          log(`Traces cannot be sent to ${otlp}: ${result.error?.message ?? 'no reason was given'}.`);
        logged = failed;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
    ...(inner.forceFlush === undefined
      ? {}
      : { forceFlush: () => inner.forceFlush?.() ?? Promise.resolve() }),
  };
}
