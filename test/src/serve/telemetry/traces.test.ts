/** Traces: a span for each request, and in it one for each use case. */

import { createServer } from 'node:http';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import { LOCAL } from '../../../../src/gateway/policy/principal.ts';
import { openTraces, tracesUrl } from '../../../../src/serve/telemetry/traces.ts';

/** Keeps its spans after a shutdown. */
class Kept extends InMemorySpanExporter {
  kept: ReadableSpan[] = [];
  override shutdown(): Promise<void> {
    this.kept = this.getFinishedSpans();
    return super.shutdown();
  }
}

const useCase = (name: string) => ({ name, principal: LOCAL, request: { query: 'a secret wish' } });

describe('openTraces', () => {
  it('nests use cases in the request, and the request in the caller’s trace', async () => {
    const exporter = new Kept();
    const traces = await openTraces({ otlp: 'http://localhost:4318', version: '1', log: () => {}, exporter });
    const traceId = 'a'.repeat(32);
    await traces.request(
      { method: 'POST', path: '/mcp', traceparent: `00-${traceId}-${'b'.repeat(16)}-01` },
      async (end) => {
        await Promise.resolve();
        traces.observe(useCase('search'))({ outcome: 'SKILL_UNKNOWN', ms: 1, result: undefined });
        end(200);
      },
    );
    traces.observe(useCase('load'))({ outcome: 'ok', ms: 1, result: {} });
    await traces.close();
    const [search, request, load] = exporter.kept;
    expect(request).toMatchObject({
      name: 'POST /mcp',
      parentSpanContext: { spanId: 'b'.repeat(16) },
      attributes: { 'http.response.status_code': 200 },
    });
    expect(request?.spanContext().traceId).toBe(traceId);
    expect(search).toMatchObject({
      name: 'skillgate.search',
      parentSpanContext: { spanId: request?.spanContext().spanId },
      attributes: { 'enduser.id': 'local', 'skillgate.outcome': 'SKILL_UNKNOWN' },
      status: { code: 2 },
    });
    expect(load?.parentSpanContext).toBeUndefined();
    expect(JSON.stringify(exporter.kept.map(({ attributes }) => attributes))).not.toContain('secret');
  });

  it('starts a new trace where the caller’s is invalid', async () => {
    const exporter = new Kept();
    const traces = await openTraces({ otlp: 'http://localhost:4318', version: '1', log: () => {}, exporter });
    for (const traceparent of [undefined, '', 'garbage', `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`])
      traces.request({ method: 'GET', path: '/mcp', traceparent }, (end) => end(500));
    await traces.close();
    expect(exporter.kept.map(({ parentSpanContext, status }) => [parentSpanContext, status.code])).toEqual(
      Array(4).fill([undefined, 2]),
    );
  });

  it('sends spans to the collector, and logs a failure once', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      request.resume().on('end', () => response.writeHead(200).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const otlp = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const logged: string[] = [];
    const send = async () => {
      const traces = await openTraces({ otlp, version: '1', log: (message) => logged.push(message) });
      traces.observe(useCase('search'))({ outcome: 'ok', ms: 1, result: {} });
      await traces.close();
    };
    await send();
    expect(asked).toEqual(['/v1/traces']);
    expect(logged).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('appends the path for traces to any base', () => {
    expect(tracesUrl('http://localhost:4318')).toBe('http://localhost:4318/v1/traces');
    expect(tracesUrl('https://otel.example/tenant/')).toBe('https://otel.example/tenant/v1/traces');
    expect(tracesUrl('https://otel.example/v1/traces')).toBe('https://otel.example/v1/traces');
  });
});
