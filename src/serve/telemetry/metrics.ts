/**
 * Metrics for Prometheus: durations and outcomes of tools and use cases, contents of the index, age of the sources,
 * rejected requests, and the process. Labels have few values by design: no principal, skill or query is a label.
 * The transport decides who may read the metrics.
 */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ChangeStatus } from '../../catalog/schedule.ts';
import type { Observer } from '../../gateway/intercept.ts';
import type { ToolCall } from '../../mcp/tool.ts';
import type { SourceStatus } from '../../sources/fetched.ts';

/** Upper bounds, s: searches take milliseconds, calls of upstream tools seconds. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Upper bounds of the fit, 0–1. */
const FITS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

interface IndexContents {
  readonly generation: number;
  readonly skills: number;
  readonly watched: boolean;
}

export interface MetricsOptions {
  /** What the open index holds, and whether its folders are watched; null while none is open. */
  readonly catalog: () => Promise<IndexContents | null>;
  readonly sources: () => readonly SourceStatus[];
  /** Changes of the folders; null where others see them. */
  readonly changes?: (() => ChangeStatus | null) | undefined;
  /** How long a catalog that gateways share may have been out of date, ms; undefined where it is not shared. */
  readonly staleMs?: (() => number) | undefined;
  /** Tokens and policy that gateways share; undefined where they share neither. */
  readonly rights?: RightsStatus | undefined;
  readonly now: () => Date;
}

interface RightsStatus {
  /** Time since they were last read, ms. */
  ageMs(): number;
  /** What of them this version cannot read. */
  unreadable(): readonly { readonly setting: string; readonly key: string }[];
}

export interface Metrics {
  readonly contentType: string;
  /** The metrics in the text format of Prometheus. */
  text(): Promise<string>;
  toolCall(call: ToolCall): void;
  readonly observe: Observer;
  request(status: number, seconds: number): void;
  /** Counts a rejected request or connection. `reason` is a fixed word. */
  reject(reason: string): void;
  /** Counts a lost line of the audit log. */
  auditLost(): void;
  /** Stops the default collectors. */
  close(): void;
}

export function openMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const { tools, useCases, requests } = durations(registers);
  const { fits, weak, rejects, lost } = counters(registers);
  const readIndex = indexGauges(registers, options);
  sourceGauges(registers, options);
  if (options.changes !== undefined) changeGauges(registers, options.changes);
  if (options.staleMs !== undefined) staleGauge(registers, options.staleMs);
  if (options.rights !== undefined) rightsGauges(registers, options.rights);
  return {
    contentType: registry.contentType,
    async text() {
      await readIndex();
      return registry.metrics();
    },
    toolCall: ({ tool, outcome, ms }) => tools.observe({ tool, outcome }, ms / 1_000),
    observe:
      ({ name }) =>
      ({ outcome, ms, result }) => {
        useCases.observe({ use_case: name, outcome }, ms / 1_000);
        const answer = typeof result === 'object' && result !== null ? result : {};
        if ('fit' in answer && typeof answer.fit === 'number') fits.observe(answer.fit);
        if ('weak' in answer && answer.weak === true) weak.inc();
      },
    request: (status, seconds) => requests.observe({ status: String(status) }, seconds),
    reject: (reason) => rejects.inc({ reason }),
    auditLost: () => lost.inc(),
    close: () => registry.clear(),
  };
}

function durations(registers: Registry[]) {
  const histogram = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS_S, registers });
  return {
    tools: histogram('skillgate_tool_duration_seconds', 'Calls of tools, by tool and outcome.', [
      'tool',
      'outcome',
    ]),
    useCases: histogram(
      'skillgate_use_case_duration_seconds',
      'Use cases of tools and methods, by outcome.',
      ['use_case', 'outcome'],
    ),
    requests: histogram('skillgate_http_request_duration_seconds', 'HTTP requests to MCP, by status.', [
      'status',
    ]),
  };
}

function counters(registers: Registry[]) {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const fit = 'Probability that some skill fits a search, as its answer says.';
  return {
    fits: new Histogram({ name: 'skillgate_search_fit', help: fit, buckets: FITS, registers }),
    weak: counter('skillgate_search_weak_total', 'Searches whose answer was weak: no skill seems to fit.'),
    rejects: counter('skillgate_rejects_total', 'Rejected requests and connections, by reason.', ['reason']),
    lost: counter('skillgate_audit_lost_total', 'Lost lines of the audit log.'),
  };
}

/** Reads all gauges once before a scrape. If that fails, the last values stay and the scrape succeeds. */
function indexGauges(registers: Registry[], { catalog }: MetricsOptions): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const generation = gauge('skillgate_index_generation', 'Number of the current index generation.');
  const skills = gauge('skillgate_index_skills', 'Skills in the index.');
  const watched = gauge(
    'skillgate_folders_watched',
    '1 while the skill folders are watched, 0 while they are checked between calls.',
  );
  return async () => {
    const found = await catalog().catch(() => null);
    if (found === null) return;
    generation.set(found.generation);
    skills.set(found.skills);
    watched.set(Number(found.watched));
  };
}

type Sample = readonly [labels: Record<string, string>, value: number];

/** A gauge that is read at each scrape, with one value for each set of labels. */
const labelled = (
  registers: Registry[],
  [name, help]: readonly [name: string, help: string],
  labelNames: string[],
  read: () => readonly Sample[],
) =>
  new Gauge({
    name,
    help,
    labelNames,
    registers,
    collect() {
      if (labelNames.length > 0) this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });

function changeGauges(registers: Registry[], changes: () => ChangeStatus | null): void {
  for (const [name, help, read] of CHANGES) {
    labelled(registers, [`skillgate_changes_${name}`, help], [], () => {
      const status = changes();
      return [[{}, status === null ? 0 : read(status)]];
    });
  }
}

const CHANGES: readonly (readonly [name: string, help: string, read: (status: ChangeStatus) => number])[] = [
  ['seen', 'Changes of the skill folders seen since the start.', ({ seen }) => seen],
  ['committed', 'Changes of the skill folders that are served.', ({ committed }) => committed],
  ['pending', 'Changes of the skill folders that are not served yet.', ({ pending }) => pending],
  [
    'pending_seconds',
    'Time since the oldest change that is not served was seen; 0 without one.',
    ({ pendingMs }) => pendingMs / 1_000,
  ],
];

function staleGauge(registers: Registry[], staleMs: () => number): void {
  const help = 'How long the shared catalog may have been out of date; 0 while its store answers.';
  labelled(registers, ['skillgate_store_stale_seconds', help], [], () => [[{}, staleMs() / 1_000]]);
}

function rightsGauges(registers: Registry[], rights: RightsStatus): void {
  const age =
    'Time since the shared tokens and policy were last read: past store.maxStaleRights no caller is answered.';
  labelled(registers, ['skillgate_rights_age_seconds', age], [], () => [[{}, rights.ageMs() / 1_000]]);
  const unreadable =
    '1 for a key of the shared tokens or policy that this version cannot read: no caller is answered.';
  labelled(registers, ['skillgate_rights_unreadable', unreadable], ['setting', 'key'], () =>
    rights.unreadable().map(({ setting, key }) => [{ setting, key }, 1]),
  );
}

function sourceGauges(registers: Registry[], { sources, now }: MetricsOptions): void {
  const labelNames = ['source', 'kind'];
  const age = 'Time since a fetched source last matched its origin; absent before the first fetch.';
  labelled(registers, ['skillgate_source_age_seconds', age], labelNames, () =>
    sources().flatMap(({ name, kind, verifiedAt }): Sample[] =>
      verifiedAt === null
        ? []
        : [[{ source: name, kind }, Math.max(0, (now().getTime() - Date.parse(verifiedAt)) / 1_000)]],
    ),
  );
  const stale = '1 where the last fetch of a source failed and its previous contents are served.';
  labelled(registers, ['skillgate_source_stale', stale], labelNames, () =>
    sources().map(({ name, kind, failure }) => [{ source: name, kind }, failure === null ? 0 : 1]),
  );
}
