/**
 * What is counted, for Prometheus: how long tools and use cases take and how they end, what the index holds, how old
 * the sources are, who was turned away and why, and how the process feels. Labels have few values by construction: no
 * principal, no skill and no query is one. Who may read them is the transport's affair.
 */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SourceStatus } from '../catalog/sources/fetched.ts';
import type { Watch } from '../gateway/watched.ts';
import type { ToolCall } from '../mcp/tool.ts';

/** Upper bounds, s: searches take milliseconds, fetches of an upstream's tool seconds. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Held {
  readonly generation: number;
  readonly skills: number;
  readonly watched: boolean;
}

export interface MetricsOptions {
  /** What the open index holds, and whether its folders are watched; null while there is none. */
  readonly catalog: () => Promise<Held | null>;
  readonly sources: () => readonly SourceStatus[];
  readonly now: () => Date;
}

export interface Metrics {
  readonly contentType: string;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  toolCall(call: ToolCall): void;
  readonly watch: Watch;
  request(status: number, seconds: number): void;
  /** Somebody was turned away: a fixed word for why. */
  reject(reason: string): void;
  /** A line of the audit log could not be written. */
  auditLost(): void;
  /** Stops what it collects by itself. */
  close(): void;
}

export function openMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const histogram = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS_S, registers });
  const tools = histogram('skillgate_tool_duration_seconds', 'Calls of tools, by tool and outcome.', [
    'tool',
    'outcome',
  ]);
  const useCases = histogram(
    'skillgate_use_case_duration_seconds',
    'What tools and methods do, by outcome.',
    ['use_case', 'outcome'],
  );
  const requests = histogram('skillgate_http_request_duration_seconds', 'HTTP requests to MCP, by status.', [
    'status',
  ]);
  const rejects = new Counter({
    name: 'skillgate_rejects_total',
    help: 'Requests and connections that were turned away, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const lost = new Counter({
    name: 'skillgate_audit_lost_total',
    help: 'Lines of the audit log that could not be written.',
    registers,
  });
  const look = indexGauges(registers, options);
  sourceGauges(registers, options);
  return {
    contentType: registry.contentType,
    async text() {
      await look();
      return registry.metrics();
    },
    toolCall: ({ tool, outcome, ms }) => tools.observe({ tool, outcome }, ms / 1_000),
    watch:
      ({ name }) =>
      ({ outcome, ms }) =>
        useCases.observe({ use_case: name, outcome }, ms / 1_000),
    request: (status, seconds) => requests.observe({ status: String(status) }, seconds),
    reject: (reason) => rejects.inc({ reason }),
    auditLost: () => lost.inc(),
    close: () => registry.clear(),
  };
}

/** All gauges are of one look, before a scrape: a failure to look leaves the last values, and the scrape succeeds. */
function indexGauges(registers: Registry[], { catalog }: MetricsOptions): () => Promise<void> {
  const generation = new Gauge({
    name: 'skillgate_index_generation',
    help: 'Number of the index generation that answers.',
    registers,
  });
  const skills = new Gauge({ name: 'skillgate_index_skills', help: 'Skills in the index.', registers });
  const watched = new Gauge({
    name: 'skillgate_folders_watched',
    help: '1 while changes in the skill folders are told at once, 0 while the folders are looked at between calls.',
    registers,
  });
  return async () => {
    const found = await catalog().catch(() => null);
    if (found === null) return;
    generation.set(found.generation);
    skills.set(found.skills);
    watched.set(Number(found.watched));
  };
}

function sourceGauges(registers: Registry[], { sources, now }: MetricsOptions): void {
  const labelNames = ['source', 'kind'];
  new Gauge({
    name: 'skillgate_source_age_seconds',
    help: 'Time since a fetched source was last known to be what its origin has; absent before the first fetch.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, kind, verifiedAt } of sources())
        if (verifiedAt !== null)
          this.set({ source: name, kind }, Math.max(0, (now().getTime() - Date.parse(verifiedAt)) / 1_000));
    },
  });
  new Gauge({
    name: 'skillgate_source_stale',
    help: '1 where the last fetch of a source failed, so that what it held before is served.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, kind, failure } of sources())
        this.set({ source: name, kind }, failure === null ? 0 : 1);
    },
  });
}
