/** What was searched and loaded, from the audit log: over time, and what deserves attention. */

import { statSync } from 'node:fs';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import { systemCodeOf } from '../../src/base/errors.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { hostLists } from '../../src/hosts/listing.ts';
import { systemOf } from '../../src/hosts/locations.ts';
import { hostSavings, ownTokens, usedIn } from '../../src/hosts/savings.ts';
import type { Searchable } from '../../src/search/search.ts';
import { type LoggedCall, readCalls } from '../../src/serve/telemetry/calls.ts';
import { countsOf, type Need, usageOf } from '../../src/serve/telemetry/usage.ts';
import type { Savings, Use, UseReport } from './api.ts';

/** Items of each list. */
const MOST = 50;

const MORE =
  'These are the calls of this page since it was started. For those of agents, let the server write an audit log, and start skillgate explore with the same setting: skillgate serve --set telemetry.audit=audit.jsonl';

/** `who` restricts to one caller's calls, as for all who may not see everything; `ownOnly` says that the log has this page's alone. */
export async function useView(
  auditFile: string | null,
  index: Searchable,
  { who, ownOnly }: { readonly who: string | null; readonly ownOnly: boolean },
): Promise<Use> {
  const calls = auditFile === null ? null : callsOf(auditFile, who);
  const report = calls === null ? null : await useReport(calls, index);
  const hint = ownOnly || auditFile === null ? { hint: MORE } : {};
  return report === null || report.searches + report.loads === 0 ? hint : { report, ...hint };
}

/**
 * What the hosts of this machine would list, next to what skillgate takes. The folders are read once: the lists change rarely, and
 * reading thousands of skills takes seconds. `auditFile` null where the log has no calls of agents.
 */
export function savingsOn(environment: ProcessEnvironment, auditFile: string | null) {
  let lists: ReturnType<typeof hostLists> | undefined;
  return async (gateway: Gateway): Promise<Savings> => {
    lists ??= hostLists(environment, systemOf(environment));
    const calls = auditFile === null ? null : callsOf(auditFile, null);
    return {
      hosts: hostSavings(await lists),
      own: await ownTokens(gateway),
      searches: calls === null ? null : usedIn(calls, 0).searches.tokens,
    };
  };
}

/** Skills that the view does not have are left out. Requests that mean the same are one. */
export async function useReport(
  calls: readonly LoggedCall[],
  { reader, embedder }: Pick<Searchable, 'reader' | 'embedder'>,
): Promise<UseReport> {
  const ids = Array.from(reader.ordinalsByKey(), (ordinal) => reader.key(ordinal));
  const { searches, loads, days, needs, weak, loaded, neverFound, neverLoaded } = await usageOf(
    calls,
    ids,
    embedder,
  );
  const asked = (some: readonly Need[], timesOf: (need: Need) => number) =>
    some.slice(0, MOST).map((need) => ({ query: need.request, times: timesOf(need), fit: need.fit }));
  return {
    searches,
    loads,
    weak: weak.reduce((sum, need) => sum + need.weak, 0),
    days,
    queries: asked(needs, ({ times }) => times),
    weakQueries: asked(weak, (need) => need.weak),
    loaded: loaded.slice(0, MOST),
    neverLoaded: neverLoaded.slice(0, MOST).map(({ id, found }) => ({ id, times: found })),
    neverFound: neverFound.length,
  };
}

/** How often each skill was found and loaded, by id. */
export type UseCounts = ReturnType<typeof countsOf>;

/** Null without an audit log, or where it has no search and no load of the caller; `who` as for `useView`. */
export function useCounts(auditFile: string | null, who: string | null): UseCounts | null {
  const calls = auditFile === null ? null : callsOf(auditFile, who);
  const counts = calls === null ? null : countsOf(calls);
  return counts === null || counts.found.size + counts.loaded.size === 0 ? null : counts;
}

/** Null where there is no log yet. It is read again when it has grown: the page asks for the map again and again while it is made. */
function callsOf(file: string, who: string | null): readonly LoggedCall[] | null {
  try {
    const { size, mtimeMs } = statSync(file);
    if (last?.file !== file || last.size !== size || last.mtimeMs !== mtimeMs)
      last = { file, size, mtimeMs, calls: readCalls(file) };
    return last.calls.filter((call) => who === null || call.who === who);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

let last: {
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly calls: readonly LoggedCall[];
} | null = null;
