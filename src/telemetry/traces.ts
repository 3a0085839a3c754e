/**
 * OpenTelemetry traces, where a collector is configured: a span for each request, as part of the caller's trace where
 * it names one, and in it a span for each use case. Its packages are optional and loaded here only. Spans carry names,
 * principals and outcomes; arguments and results stay out.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Span } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Watch } from '../gateway/watched.ts';
import { TelemetryError } from './errors.ts';

/** The last lines of their majors that run on Node 20. */
const PACKAGES =
  '@opentelemetry/api@1.9 @opentelemetry/sdk-trace@2 @opentelemetry/resources@2 @opentelemetry/exporter-trace-otlp-http@0.223';
/** Longest wait for the collector at the end, ms. */
const CLOSE_MS = 3_000;
/** W3C trace context: version, trace, span, flags. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TracesOptions {
  /** The collector: its base, or the very address of its traces. */
  readonly otlp: string;
  readonly version: string;
  readonly log: (message: string) => void;
  /** Default: OTLP over HTTP. */
  readonly exporter?: SpanExporter;
}

export interface Traces {
  /** Runs what answers a request inside a span; `end` of what it is given closes the span. */
  request<Result>(
    request: { readonly method: string; readonly path: string; readonly traceparent: string | undefined },
    run: (end: (status: number) => void) => Result,
  ): Result;
  readonly watch: Watch;
  /** Sends what is left. Never rejects. */
  close(): Promise<void>;
}

/** Rejects with `TelemetryError` where the packages are missing. */
export async function openTraces({ otlp, version, log, exporter }: TracesOptions): Promise<Traces> {
  const { api, sdk, resources, otlpHttp } = await packages();
  const inner = exporter ?? new otlpHttp.OTLPTraceExporter({ url: tracesUrl(otlp) });
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'skillgate', 'service.version': version }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: complaining(inner, otlp, log) })],
  });
  const tracer = provider.getTracer('skillgate', version);
  const current = new AsyncLocalStorage<Context>();
  const failed = (span: Span, message: string) => span.setStatus({ code: api.SpanStatusCode.ERROR, message });

  const parentOf = (traceparent: string | undefined): Context => {
    const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return api.ROOT_CONTEXT;
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return api.trace.setSpanContext(api.ROOT_CONTEXT, remote);
  };

  return {
    request({ method, path, traceparent }, run) {
      const parent = parentOf(traceparent);
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
    watch({ name, principal }) {
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
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, CLOSE_MS).unref();
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

async function packages() {
  try {
    const [api, sdk, resources, otlpHttp] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { api, sdk, resources, otlpHttp };
  } catch (cause) {
    throw new TelemetryError(
      'TRACES_UNAVAILABLE',
      `telemetry.otlp asks for traces, but the packages that make them are not installed. Run: npm install ${PACKAGES}`,
      cause,
    );
  }
}

/** Collectors take traces at /v1/traces, below whatever base is configured. */
export function tracesUrl(otlp: string): string {
  const url = new URL(otlp);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** A collector that cannot be reached is said once, until it can. */
function complaining(inner: SpanExporter, otlp: string, log: (message: string) => void): SpanExporter {
  let complained = false;
  return {
    export(spans, done) {
      inner.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !complained)
          log(`Traces cannot be sent to ${otlp}: ${result.error?.message ?? 'no reason was given'}.`);
        complained = failed;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
    ...(inner.forceFlush === undefined
      ? {}
      : { forceFlush: () => inner.forceFlush?.() ?? Promise.resolve() }),
  };
}
