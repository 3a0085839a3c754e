/**
 * From calls to evidence: a search, and the load of one of its hits by the same principal. A load that another search of the
 * same need follows, or the load of another hit of that answer, counts against the skill. Keeps the last calls of each
 * principal in memory; what is worth keeping goes to the store.
 */

import { LRUCache } from 'lru-cache';
import { requestText } from './request-text.ts';
import type { KnownSkill, LearnedStore } from './store.ts';

/** A load belongs to a search that is at most this old, ms. */
const SAME_TASK_MS = 30 * 60_000;
/** Who goes on looking this soon after a load did not find what they needed, ms. */
const SOON_MS = 3 * 60_000;
/** Searches of a principal that a load may belong to: several agents may share one principal. */
const MAX_SEARCHES = 8;
const MAX_PRINCIPALS = 1_000;
/** Two queries are one need from this share of their common words' weight on. */
const SAME_NEED = 0.5;

interface AskedWord {
  readonly term: string;
  readonly weight: number;
}

/** An answered search. */
export interface Answered {
  readonly query: string;
  readonly words: readonly AskedWord[];
  /** Ids. */
  readonly hits: readonly string[];
}

interface Search {
  readonly request: string;
  readonly words: readonly AskedWord[];
  readonly hits: Set<string>;
  at: number;
  readonly loads: Load[];
}

interface Load {
  readonly skill: KnownSkill;
  readonly at: number;
  /** What was said against it: each skill that was loaded after it, null for another search. */
  readonly left: Set<string | null>;
  judged: boolean;
}

export type Verdict = 'useful' | 'wrong';

export class Collector {
  readonly #store: Pick<LearnedStore, 'add'>;
  /** Milliseconds since 1970. */
  readonly #now: () => number;
  /** Latest search last. */
  readonly #searches = new LRUCache<string, Search[]>({ max: MAX_PRINCIPALS });

  constructor(store: Pick<LearnedStore, 'add'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** `who` is the name of the principal. An empty query asks for nothing. */
  searched(who: string, { query, words, hits }: Answered): void {
    const request = requestText(query);
    if (request === '') return;
    const at = this.#now();
    const searches = this.#of(who);
    for (const search of searches)
      if (sharedWeight(search.words, words) >= SAME_NEED)
        for (const load of search.loads) if (at - load.at <= SOON_MS) this.#leave(who, search, load, null);
    const same = searches.find((search) => search.request === request);
    // A next page, or the same search again.
    for (const hit of hits) same?.hits.add(hit);
    if (same !== undefined) same.at = at;
    else searches.push({ request, words, hits: new Set(hits), at, loads: [] });
    searches.sort((a, b) => a.at - b.at);
    searches.splice(0, searches.length - MAX_SEARCHES);
  }

  /** Counts for the latest search that found the skill, once. A skill that no search found teaches nothing. */
  loaded(who: string, skill: KnownSkill): void {
    const at = this.#now();
    const search = this.#of(who).findLast(({ hits }) => hits.has(skill.id));
    if (search === undefined || search.loads.some((load) => load.skill.id === skill.id)) return;
    // Each later load counts for itself: whose skills are hidden from somebody does not count for them.
    for (const load of search.loads) if (at - load.at <= SOON_MS) this.#leave(who, search, load, skill.id);
    search.loads.push({ skill, at, left: new Set(), judged: false });
    this.#use(who, search, skill);
  }

  /** What the principal says of the skill that it loaded last; false if it loaded none that a search found. */
  judged(who: string, verdict: Verdict): boolean {
    const loads = this.#of(who).flatMap((search) => search.loads.map((load) => ({ search, load })));
    const [last] = loads.toSorted((a, b) => b.load.at - a.load.at);
    if (last === undefined) return false;
    const { search, load } = last;
    if (verdict === 'wrong') this.#leave(who, search, load, null);
    else if (!load.judged) this.#use(who, search, load.skill);
    load.judged = true;
    return true;
  }

  #of(who: string): Search[] {
    const since = this.#now() - SAME_TASK_MS;
    const searches = (this.#searches.get(who) ?? []).filter(({ at }) => at >= since);
    this.#searches.set(who, searches);
    return searches;
  }

  #use(who: string, { request }: Search, { id, name, digest }: KnownSkill): void {
    this.#store.add([{ kind: 'use', skill: id, name, digest, request, who, at: this.#seconds() }]);
  }

  #leave(who: string, { request }: Search, { skill, left }: Load, instead: string | null): void {
    if (left.has(instead)) return;
    left.add(instead);
    this.#store.add([{ kind: 'left', skill: skill.id, request, who, instead, at: this.#seconds() }]);
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1_000);
  }
}

/** Weight of the common words as a share of the weight of all words of both (weighted Jaccard), 0–1. */
function sharedWeight(a: readonly AskedWord[], b: readonly AskedWord[]): number {
  const weights = new Map(a.map(({ term, weight }) => [term, weight]));
  let shared = 0;
  let all = a.reduce((sum, { weight }) => sum + weight, 0);
  for (const { term, weight } of b) {
    const own = weights.get(term);
    if (own === undefined) all += weight;
    else shared += own;
  }
  return all > 0 ? shared / all : 0;
}
