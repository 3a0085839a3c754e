import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callsIn, queriesFinding } from '../../../extensions/explore/use.ts';
import type { LoggedCall } from '../../../extensions/usage/calls.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

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

describe('callsIn', () => {
  it('gives the calls that the caller may see, again when the log grows, and null without one', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'audit.jsonl');
    expect(callsIn(file, null)).toBeNull();
    logOf(folder, CALLS.slice(0, 3));
    expect(callsIn(file, 'bob')).toEqual([]);
    logOf(folder, CALLS);
    expect(callsIn(file, null)).toHaveLength(CALLS.length);
    expect(callsIn(file, 'bob')?.map(({ who }) => who)).toEqual(['bob']);
    expect(callsIn(null, null)).toBeNull();
  });
});

describe('queriesFinding', () => {
  it('gives each query whose answer named the skill once, the last first', () => {
    expect(queriesFinding(CALLS, 'csv', 5)).toEqual(['bake bread', 'merge pdf', 'Merge  PDF']);
    expect(queriesFinding(CALLS, 'csv', 1)).toEqual(['bake bread']);
    expect(queriesFinding(CALLS, 'tls', 5)).toEqual([]);
  });
});
