/**
 * What people and agents wanted, from the calls of an audit log: which requests come often, which were weak, which skills
 * no one finds, and which come first and are never loaded. Requests that mean nearly the same are one need.
 */

import { dot } from '../../index/vectors/float.ts';
import type { Embedder } from '../../src/app/extension-api.ts';
import type { LoggedCall } from './calls.ts';

/** Cosine from which two requests are the same need, with the shipped model: paraphrases are above it, neighbours below. */
const SAME_NEED = 0.8;
/** Distinct requests that are compared, the most frequent first; further ones are counted by themselves. */
const MAX_COMPARED = 2_000;
/** A load belongs to the caller's last search that found the skill, if it follows within this time, ms. */
const BELONGS_MS = 30 * 60_000;
/** A skill that stood first this often in answers that seem to fit, or was found that often, and never loaded is no coincidence. */
const FIRST_OFTEN = 3;
const FOUND_OFTEN = 20;
/** Days that are counted, the last ones. */
const MAX_DAYS = 90;
const DAY_MS = 86_400_000;

export interface Need {
  /** The most frequent request of the need. */
  readonly request: string;
  /** Searches with any of its requests. */
  readonly times: number;
  /** Searches whose answer was weak. */
  readonly weak: number;
  /** Searches after which the caller loaded one of the hits. */
  readonly loaded: number;
  /** All distinct requests, most frequent first. */
  readonly requests: readonly string[];
  /** Of the last search with its most frequent request; null where it is unknown. */
  readonly fit: number | null;
}

interface Day {
  /** `2026-11-23`, in UTC. */
  readonly day: string;
  readonly searches: number;
  readonly loads: number;
  readonly weak: number;
}

export interface Usage {
  readonly searches: number;
  readonly loads: number;
  /** Each day from the first call to the last, at most 90; those without a call too. */
  readonly days: readonly Day[];
  /** Ids of `skills` that were loaded, most often first. */
  readonly loaded: readonly { readonly id: string; readonly times: number }[];
  /** Most frequent first. */
  readonly needs: readonly Need[];
  /** Needs with a weak answer, most weak answers first. */
  readonly weak: readonly Need[];
  /** Ids of `skills` that no search found, in their order. */
  readonly neverFound: readonly string[];
  /** Ids that stood first at least three times, or were found twenty times, and that no one loaded; most often first, then found. */
  readonly neverLoaded: readonly { readonly id: string; readonly first: number; readonly found: number }[];
}

/** A request with the skills that were loaded after it. */
interface Request {
  readonly text: string;
  times: number;
  weak: number;
  loaded: number;
  fit: number | null;
  readonly skills: Map<string, number>;
}

/** `calls` in the order of time; `skills` are the ids of the catalog now. */
export async function summariseUsage(
  calls: readonly LoggedCall[],
  skills: readonly string[],
  embedder: Embedder | null,
): Promise<Usage> {
  const requests = toRequests(calls);
  const needs = (await grouped(requests, embedder)).map(toNeed).sort(byTimes);
  const { found, loaded } = countCalls(calls);
  const first = countIds(calls.filter((each) => isSearch(each) && each.weak !== true).flatMap(firstHit));
  return {
    searches: requests.reduce((sum, { times }) => sum + times, 0),
    loads: calls.filter(isLoad).length,
    days: countDays(calls),
    loaded: skills
      .flatMap((id) => (loaded.has(id) ? { id, times: loaded.get(id)! } : []))
      .sort((a, b) => b.times - a.times),
    needs,
    weak: needs.filter(({ weak }) => weak > 0).sort((a, b) => b.weak - a.weak || byTimes(a, b)),
    neverFound: skills.filter((id) => !found.has(id) && !loaded.has(id)),
    neverLoaded: skills
      .map((id) => ({ id, first: first.get(id) ?? 0, found: found.get(id) ?? 0 }))
      .filter((each) => each.first >= FIRST_OFTEN || each.found >= FOUND_OFTEN)
      .filter(({ id }) => !loaded.has(id))
      .sort((a, b) => b.first - a.first || b.found - a.found),
  };
}

/** How often each skill was found and loaded, by id; the calls that were answered count. */
function countCalls(calls: readonly LoggedCall[]): {
  readonly found: ReadonlyMap<string, number>;
  readonly loaded: ReadonlyMap<string, number>;
} {
  return {
    found: countIds(calls.filter(isSearch).flatMap(({ hits = [] }) => hits)),
    loaded: countIds(calls.filter(isLoad).flatMap(({ skill = '' }) => skill)),
  };
}

const firstHit = ({ hits = [] }: LoggedCall) => hits.slice(0, 1);
/** Browsing, without a query, wants nothing in particular. */
const isSearch = ({ call, outcome, query = '' }: LoggedCall) =>
  call === 'search' && outcome === 'ok' && query.trim() !== '';
const isLoad = ({ call, outcome, skill }: LoggedCall) =>
  call === 'load' && outcome === 'ok' && skill !== undefined;

function countDays(calls: readonly LoggedCall[]): Day[] {
  const days = new Map<string, { searches: number; loads: number; weak: number }>();
  for (const call of calls) {
    if (!isSearch(call) && !isLoad(call)) continue;
    const day = call.time.slice(0, 10);
    const counts = days.get(day) ?? { searches: 0, loads: 0, weak: 0 };
    days.set(day, counts);
    if (isLoad(call)) counts.loads += 1;
    else counts.searches += 1;
    if (isSearch(call) && call.weak === true) counts.weak += 1;
  }
  const known = [...days.keys()].sort();
  const [first, last] = [Date.parse(known[0] ?? ''), Date.parse(known.at(-1) ?? '')];
  const all: Day[] = [];
  for (let at = Math.max(first, last - (MAX_DAYS - 1) * DAY_MS); at <= last; at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push({ day, ...(days.get(day) ?? { searches: 0, loads: 0, weak: 0 }) });
  }
  return all;
}

/**
 * A query set in the layout of `skillgate eval`: each distinct request, judged by the skills that were loaded after it. A request
 * after which nothing was loaded has no judgement: it is one without an answer, until someone says otherwise.
 */
export function toQuerySet(calls: readonly LoggedCall[]): {
  readonly queries: string;
  readonly qrels: string;
} {
  const requests = toRequests(calls).sort(byTimes);
  const rows = requests.map((request, at) => ({ id: `u${String(at + 1).padStart(4, '0')}`, request }));
  return {
    queries: rows
      .map(
        ({ id, request: { text, times, weak } }) =>
          `${JSON.stringify({ _id: id, text, style: 'use', times, weak })}\n`,
      )
      .join(''),
    qrels: [
      'query-id\tcorpus-id\tscore\n',
      ...rows.flatMap(({ id, request }) =>
        [...request.skills.keys()].sort().map((skill) => `${id}\t${skill}\t1\n`),
      ),
    ].join(''),
  };
}

/** Distinct requests, spelled alike up to case and white space. */
function toRequests(calls: readonly LoggedCall[]): Request[] {
  const requests = new Map<string, Request>();
  const last = new Map<
    string,
    { readonly at: number; readonly request: Request; readonly hits: ReadonlySet<string> }[]
  >();
  for (const each of calls) {
    const { who, time, query = '', skill = '', hits = [], weak, fit = null } = each;
    const at = Date.parse(time);
    if (isSearch(each)) {
      const text = query.replace(/\s+/g, ' ').trim();
      const key = text.toLowerCase();
      const request = requests.get(key) ?? { text, times: 0, weak: 0, loaded: 0, fit, skills: new Map() };
      requests.set(key, request);
      request.fit = fit;
      request.times += 1;
      if (weak === true) request.weak += 1;
      const own = (last.get(who) ?? []).filter((search) => at - search.at <= BELONGS_MS);
      last.set(who, [...own, { at, request, hits: new Set(hits) }]);
    } else if (isLoad(each)) {
      const search = last.get(who)?.findLast((each) => each.hits.has(skill) && at - each.at <= BELONGS_MS);
      if (search === undefined) continue;
      search.request.loaded += 1;
      search.request.skills.set(skill, (search.request.skills.get(skill) ?? 0) + 1);
    }
  }
  return [...requests.values()];
}

/** Each request joins the first group whose most frequent request means the same. */
async function grouped(requests: readonly Request[], embedder: Embedder | null): Promise<Request[][]> {
  const ordered = requests.toSorted(byTimes);
  const groups: { readonly members: Request[]; readonly vector: Float32Array | null }[] = [];
  for (const [at, request] of ordered.entries()) {
    const vector = embedder === null || at >= MAX_COMPARED ? null : await embedder.embedQuery(request.text);
    const group =
      vector === null
        ? undefined
        : groups.find((other) => other.vector !== null && dot(other.vector, vector) >= SAME_NEED);
    if (group === undefined) groups.push({ members: [request], vector });
    else group.members.push(request);
  }
  return groups.map(({ members }) => members);
}

const toNeed = (members: readonly Request[]): Need => {
  const sum = (of: (request: Request) => number) => members.reduce((total, member) => total + of(member), 0);
  return {
    request: members[0]!.text,
    times: sum(({ times }) => times),
    weak: sum(({ weak }) => weak),
    loaded: sum(({ loaded }) => loaded),
    requests: members.map(({ text }) => text),
    fit: members[0]!.fit,
  };
};

const byTimes = (a: { readonly times: number }, b: { readonly times: number }) => b.times - a.times;

function countIds(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
