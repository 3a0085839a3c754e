/** What was searched and loaded, from the audit log: over time, and what deserves attention. */

import { statSync } from 'node:fs';
import type { Reader } from '#index';
import { systemCodeOf } from '../errors/public.ts';
import { type LoggedCall, readCalls } from '../telemetry/public.ts';
import type { Use, UseReport } from './api.ts';

/** Items of each list. */
const MOST = 50;
/** Days shown. */
const MOST_DAYS = 90;
/** Ids that were found this often and never loaded are worth a look. */
const FOUND_OFTEN = 3;

const NO_LOG =
  'Searches and loads are counted from the audit log, and none is configured. Set telemetry.audit to the path of a file, for example with: skillgate serve --set telemetry.audit=audit.jsonl';
const NO_CALLS = 'The audit log has no search and no load yet.';

/** `who` restricts to one caller's calls, as for all who may not see everything. */
export function useView(auditFile: string | null, reader: Reader, who: string | null): Use {
  if (auditFile === null) return { reason: NO_LOG };
  try {
    const report = useReport(callsOf(auditFile), reader, who);
    return report.searches + report.loads === 0 ? { reason: NO_CALLS } : { report };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return { reason: NO_CALLS };
    throw error;
  }
}

/** How often each skill was found and loaded, by id. */
export interface UseCounts {
  readonly found: ReadonlyMap<string, number>;
  readonly loaded: ReadonlyMap<string, number>;
}

/** Null without an audit log, or where it has no search and no load of the caller; `who` as for `useView`. */
export function useCounts(auditFile: string | null, who: string | null): UseCounts | null {
  if (auditFile === null) return null;
  try {
    const { searches, loads } = ownCalls(callsOf(auditFile), who);
    if (searches.length + loads.length === 0) return null;
    return {
      found: countOf(searches.flatMap(({ hits = [] }) => hits)),
      loaded: countOf(loads.flatMap(({ skill = '' }) => skill)),
    };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The log is read again when it has grown: the page asks for the map again and again while it is made. */
function callsOf(file: string): readonly LoggedCall[] {
  const { size, mtimeMs } = statSync(file);
  if (last?.file !== file || last.size !== size || last.mtimeMs !== mtimeMs)
    last = { file, size, mtimeMs, calls: readCalls(file) };
  return last.calls;
}

let last: {
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly calls: readonly LoggedCall[];
} | null = null;

/** Searches with a query, and loads, that were answered. */
function ownCalls(calls: readonly LoggedCall[], who: string | null) {
  const own = calls.filter((call) => call.outcome === 'ok' && (who === null || call.who === who));
  return {
    searches: own.filter(
      ({ call, query }) => call === 'search' && query !== undefined && query.trim() !== '',
    ),
    loads: own.filter(({ call, skill }) => call === 'load' && skill !== undefined),
  };
}

/** `who` restricts to one caller's calls; null takes all. Skills that the view does not have are left out. */
export function useReport(calls: readonly LoggedCall[], reader: Reader, who: string | null): UseReport {
  const { searches, loads } = ownCalls(calls, who);
  const visible = (id: string) => reader.resolve(id).some((ordinal) => reader.key(ordinal) === id);
  const found = countOf(searches.flatMap(({ hits = [] }) => hits));
  const loaded = countOf(loads.flatMap(({ skill = '' }) => skill));
  const ids = (counts: ReadonlyMap<string, number>, keep: (id: string) => boolean) =>
    [...counts]
      .filter(([id]) => keep(id) && visible(id))
      .sort(byCount)
      .slice(0, MOST)
      .map(([id, times]) => ({ id, times }));
  return {
    searches: searches.length,
    loads: loads.length,
    weak: searches.filter(({ weak }) => weak).length,
    days: daysOf(searches, loads),
    queries: queriesOf(searches, () => true),
    weakQueries: queriesOf(searches, ({ weak }) => weak === true),
    loaded: ids(loaded, () => true),
    neverLoaded: ids(found, (id) => !loaded.has(id) && (found.get(id) ?? 0) >= FOUND_OFTEN),
    neverFound: reader.documents - [...found.keys()].filter(visible).length,
  };
}

/** Spelled alike up to case and space. */
const normalized = (query: string) => query.trim().toLowerCase().replace(/\s+/g, ' ');

function queriesOf(
  searches: readonly LoggedCall[],
  keep: (call: LoggedCall) => boolean,
): UseReport['queries'] {
  const groups = new Map<string, { query: string; times: number; fit: number | null }>();
  for (const call of searches.filter(keep)) {
    const { query = '', fit = null } = call;
    const key = normalized(query);
    groups.set(key, { query: query.trim(), times: (groups.get(key)?.times ?? 0) + 1, fit });
  }
  return [...groups.values()]
    .sort((a, b) => b.times - a.times || (a.query < b.query ? -1 : 1))
    .slice(0, MOST);
}

function daysOf(searches: readonly LoggedCall[], loads: readonly LoggedCall[]): UseReport['days'] {
  const days = new Map<string, { searches: number; loads: number; weak: number }>();
  const dayOf = ({ time }: LoggedCall) => {
    const day = time.slice(0, 10);
    const counts = days.get(day) ?? { searches: 0, loads: 0, weak: 0 };
    days.set(day, counts);
    return counts;
  };
  for (const call of searches) {
    const counts = dayOf(call);
    counts.searches += 1;
    if (call.weak === true) counts.weak += 1;
  }
  for (const call of loads) dayOf(call).loads += 1;
  const [first, last] = [[...days.keys()].sort()[0], [...days.keys()].sort().at(-1)];
  if (first === undefined || last === undefined) return [];
  const all: UseReport['days'][number][] = [];
  // Days without a call count too: a gap is a fact.
  for (let at = Date.parse(last); at >= Date.parse(first) && all.length < MOST_DAYS; at -= 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push({ day, ...(days.get(day) ?? { searches: 0, loads: 0, weak: 0 }) });
  }
  return all.reverse();
}

function countOf(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const byCount = ([a, m]: readonly [string, number], [b, n]: readonly [string, number]) =>
  n - m || (a < b ? -1 : 1);
