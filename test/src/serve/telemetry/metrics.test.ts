/** What Prometheus reads. */

import { describe, expect, it } from 'vitest';
import { LOCAL } from '../../../../src/gateway/policy/principal.ts';
import { type Metrics, type MetricsOptions, openMetrics } from '../../../../src/serve/telemetry/metrics.ts';
import type { SourceStatus } from '../../../../src/sources/fetched.ts';
import { endWithTest } from '../../../end-with-test.ts';

const NOW = new Date('2026-11-22T00:10:00Z');
const status = (name: string, rest: Partial<SourceStatus> = {}): SourceStatus => ({
  name,
  kind: 'git',
  origin: 'https://git.example/x',
  resolved: 'abc',
  verifiedAt: '2026-11-22T00:00:00Z',
  failure: null,
  ...rest,
});

function metrics(options: Partial<MetricsOptions> = {}): Metrics {
  const made = openMetrics({
    catalog: async () => ({ generation: 7, skills: 42, watched: true }),
    sources: () => [],
    now: () => NOW,
    ...options,
  });
  endWithTest(() => made.close());
  return made;
}

const linesOf = async (of: Metrics, name: string) =>
  (await of.text()).split('\n').filter((line) => line.startsWith(name));

describe('openMetrics', () => {
  it('has the fit of searches and counts weak answers', async () => {
    const made = metrics();
    const end = (result: unknown) =>
      made.observe({ name: 'search', principal: LOCAL, request: {} })({ outcome: 'ok', ms: 1, result });
    end({ fit: 0.15, weak: true });
    end({ fit: 0.85, weak: false });
    end({ fit: null, weak: false });
    end(undefined);
    expect(await linesOf(made, 'skillgate_search_fit_bucket{le="0.2"')).toEqual([
      'skillgate_search_fit_bucket{le="0.2"} 1',
    ]);
    expect(await linesOf(made, 'skillgate_search_fit_count')).toEqual(['skillgate_search_fit_count 2']);
    expect(await linesOf(made, 'skillgate_search_weak_total')).toEqual(['skillgate_search_weak_total 1']);
  });

  it('measures tools and use cases by outcome', async () => {
    const made = metrics();
    made.toolCall({ tool: 'search_skills', outcome: 'ok', ms: 30 });
    made.toolCall({ tool: 'search_skills', outcome: 'ok', ms: 70 });
    made.toolCall({ tool: 'load_skill', outcome: 'SKILL_UNKNOWN', ms: 1 });
    made.observe({ name: 'search', principal: LOCAL, request: {} })({ outcome: 'ok', ms: 20, result: {} });
    const tool = 'skillgate_tool_duration_seconds';
    expect(await linesOf(made, `${tool}_count`)).toEqual([
      `${tool}_count{tool="search_skills",outcome="ok"} 2`,
      `${tool}_count{tool="load_skill",outcome="SKILL_UNKNOWN"} 1`,
    ]);
    expect(await linesOf(made, `${tool}_sum{tool="search_skills"`)).toEqual([
      `${tool}_sum{tool="search_skills",outcome="ok"} 0.1`,
    ]);
    expect(await linesOf(made, `${tool}_bucket{le="0.05",tool="search_skills"`)).toEqual([
      `${tool}_bucket{le="0.05",tool="search_skills",outcome="ok"} 1`,
    ]);
    expect(await linesOf(made, 'skillgate_use_case_duration_seconds_count')).toEqual([
      'skillgate_use_case_duration_seconds_count{use_case="search",outcome="ok"} 1',
    ]);
  });

  it('counts requests, rejections and lost lines', async () => {
    const made = metrics();
    made.request(200, 0.01);
    made.reject('expired');
    made.reject('expired');
    made.auditLost();
    expect(await linesOf(made, 'skillgate_http_request_duration_seconds_count')).toEqual([
      'skillgate_http_request_duration_seconds_count{status="200"} 1',
    ]);
    expect(await linesOf(made, 'skillgate_rejects_total')).toEqual([
      'skillgate_rejects_total{reason="expired"} 2',
    ]);
    expect(await linesOf(made, 'skillgate_audit_lost_total')).toEqual(['skillgate_audit_lost_total 1']);
  });

  it('reports the contents of the index, and the age of the sources', async () => {
    let sources = [
      status('git'),
      status('down', { failure: 'It is down.' }),
      status('new', { verifiedAt: null }),
    ];
    const made = metrics({ sources: () => sources });
    expect(await linesOf(made, 'skillgate_index_')).toEqual([
      'skillgate_index_generation 7',
      'skillgate_index_skills 42',
    ]);
    expect(await linesOf(made, 'skillgate_folders_watched')).toEqual(['skillgate_folders_watched 1']);
    expect(await linesOf(made, 'skillgate_source_')).toEqual([
      'skillgate_source_age_seconds{source="git",kind="git"} 600',
      'skillgate_source_age_seconds{source="down",kind="git"} 600',
      'skillgate_source_stale{source="git",kind="git"} 0',
      'skillgate_source_stale{source="down",kind="git"} 1',
      'skillgate_source_stale{source="new",kind="git"} 0',
    ]);
    sources = [];
    expect(await linesOf(made, 'skillgate_source_')).toEqual([]);
  });

  it('reports how long a shared catalog may have been out of date, where there is one', async () => {
    let staleMs = 0;
    const made = metrics({ staleMs: () => staleMs });
    expect(await linesOf(made, 'skillgate_store_')).toEqual(['skillgate_store_stale_seconds 0']);
    staleMs = 7_500;
    expect(await linesOf(made, 'skillgate_store_')).toEqual(['skillgate_store_stale_seconds 7.5']);
    expect(await linesOf(metrics(), 'skillgate_store_')).toEqual([]);
  });

  it('counts the changes of the folders, and is 0 where another gateway sees them', async () => {
    let status: ReturnType<NonNullable<MetricsOptions['changes']>> = {
      seen: 5,
      committed: 3,
      pending: 2,
      pendingMs: 31_500,
    };
    const made = metrics({ changes: () => status });
    expect(await linesOf(made, 'skillgate_changes_')).toEqual([
      'skillgate_changes_seen 5',
      'skillgate_changes_committed 3',
      'skillgate_changes_pending 2',
      'skillgate_changes_pending_seconds 31.5',
    ]);
    status = null;
    expect(await linesOf(made, 'skillgate_changes_pending_seconds')).toEqual([
      'skillgate_changes_pending_seconds 0',
    ]);
  });

  it('can be read while the index cannot be read', async () => {
    const made = metrics({ catalog: () => Promise.reject(new Error('closed')) });
    expect(await linesOf(made, 'skillgate_index_skills')).toEqual(['skillgate_index_skills 0']);
  });

  it('reports process metrics', async () => {
    const text = await metrics().text();
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ])
      expect(text).toContain(`\n${name} `);
  });
});
