import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCounts, useReport, useView } from '../../../extensions/explore/use.ts';
import type { LoggedCall } from '../../../src/serve/telemetry/calls.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const TREE = Object.fromEntries(
  ['pdf', 'csv', 'tls'].map((name) => [`${name}/SKILL.md`, skill(name, `Handle ${name} files`)]),
);
/** Without a model, requests are the same if their words are. */
const index = async () => ({ ...(await testLibrary(TREE).library.current()), embedder: null });

const search = (
  day: string,
  query: string,
  hits: readonly string[],
  rest: Partial<LoggedCall> = {},
): LoggedCall => ({
  time: `2026-11-${day}T12:00:00.000Z`,
  who: 'ann',
  call: 'search',
  outcome: 'ok',
  query,
  hits,
  fit: 0.8,
  weak: false,
  ...rest,
});
const load = (day: string, id: string, rest: Partial<LoggedCall> = {}): LoggedCall => ({
  time: `2026-11-${day}T12:00:00.000Z`,
  who: 'ann',
  call: 'load',
  outcome: 'ok',
  skill: id,
  ...rest,
});

const CALLS = [
  search('20', 'Merge  PDF', ['pdf', 'csv']),
  load('20', 'pdf'),
  search('20', 'merge pdf', ['pdf', 'csv']),
  search('22', 'bake bread', ['csv', 'gone'], { fit: 0.1, weak: true }),
  load('22', 'pdf', { outcome: 'SKILL_GONE' }),
  search('22', 'merge pdf', ['pdf'], { who: 'bob' }),
];

/** Writes an audit log with these calls, and returns its path. */
function logOf(folder: string, calls: readonly LoggedCall[]): string {
  const file = join(folder, 'audit.jsonl');
  const lines = calls.map(({ query, ...call }) =>
    JSON.stringify({ event: 'call', ...call, ...(query === undefined ? {} : { arguments: { query } }) }),
  );
  writeFileSync(file, lines.join('\n'));
  return file;
}

describe('useReport', () => {
  it('counts by day, also the days without a call', async () => {
    const report = await useReport(CALLS, await index());
    expect(report.days).toEqual([
      { day: '2026-11-20', searches: 2, loads: 1, weak: 0 },
      { day: '2026-11-21', searches: 0, loads: 0, weak: 0 },
      { day: '2026-11-22', searches: 2, loads: 0, weak: 1 },
    ]);
    expect(report).toMatchObject({ searches: 4, loads: 1, weak: 1 });
  });

  it('groups requests that differ in case and space, and lists the weak ones', async () => {
    const { queries, weakQueries } = await useReport(CALLS, await index());
    expect(queries).toEqual([
      { query: 'Merge PDF', times: 3, fit: 0.8 },
      { query: 'bake bread', times: 1, fit: 0.1 },
    ]);
    expect(weakQueries).toEqual([{ query: 'bake bread', times: 1, fit: 0.1 }]);
  });

  it('finds what stands first and is never loaded, and what is never found; what the view lacks it leaves out', async () => {
    const asked = ['a', 'b', 'c'].map((query) => search('22', query, ['csv', 'gone']));
    const { loaded, neverLoaded, neverFound } = await useReport([...CALLS, ...asked], await index());
    expect(loaded).toEqual([{ id: 'pdf', times: 1 }]);
    // csv: first three times, found six times; gone is in no view.
    expect(neverLoaded).toEqual([{ id: 'csv', times: 6 }]);
    // Of three skills only tls was in no answer.
    expect(neverFound).toBe(1);
  });

  it('tells a caller that may not see everything of its own calls alone', async () => {
    const folder = temporaryFolder();
    const file = logOf(folder, CALLS);
    const { report } = await useView(file, await index(), { who: 'bob', ownOnly: false });
    rmSync(folder, { recursive: true });
    expect(report).toMatchObject({ searches: 1, loads: 0, queries: [{ query: 'merge pdf', times: 1 }] });
  });
});

describe('useCounts', () => {
  it('counts what was found and loaded by skill, of the calls that the caller may see, and again when the log grows', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'audit.jsonl');
    const write = (calls: readonly LoggedCall[]) => logOf(folder, calls);
    try {
      expect(useCounts(file, null)).toBeNull();
      write(CALLS.slice(0, 3));
      expect(useCounts(file, 'bob')).toBeNull();
      write(CALLS);
      expect(useCounts(file, null)).toEqual({
        found: new Map([
          ['pdf', 3],
          ['csv', 3],
          ['gone', 1],
        ]),
        // The failed load does not count.
        loaded: new Map([['pdf', 1]]),
      });
      expect(useCounts(file, 'bob')).toEqual({ found: new Map([['pdf', 1]]), loaded: new Map() });
      expect(useCounts(null, null)).toBeNull();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('useView', () => {
  it('says how to see the calls of agents, and nothing before the first call', async () => {
    const hint = expect.stringContaining('telemetry.audit');
    expect(await useView(null, await index(), { who: null, ownOnly: false })).toEqual({ hint });
    const missing = '/nonexistent/audit.jsonl';
    expect(await useView(missing, await index(), { who: null, ownOnly: true })).toEqual({ hint });
    expect(await useView(missing, await index(), { who: null, ownOnly: false })).toEqual({});
  });
});
