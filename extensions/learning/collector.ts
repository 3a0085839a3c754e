/**
 * From calls to evidence: a search, and the load of one of its hits by the same principal. A load that another search of the
 * same need follows, or the load of another hit of that answer, counts against the skill. Keeps the last calls of each
 * principal in memory; what is worth keeping goes to the store.
 */

import { LRUCache } from 'lru-cache';
import type { AnsweredSearch } from '../../src/app/extension-api.ts';
import { withoutSecrets } from '../../src/base/redaction/redact.ts';
import type { Left, Load } from './history.ts';

/** A load belongs to a search that is at most this old, ms. */
const SAME_TASK_MS = 30 * 60_000;
/** Who goes on looking this soon after a load did not find what they needed, ms. */
const SOON_MS = 3 * 60_000;
/** Searches of a principal that a load may belong to: several agents may share one principal. */
const MAX_SEARCHES = 8;
const MAX_PRINCIPALS = 1_000;
/** Two queries are one need from this share of their common words' weight on. */
const SAME_NEED = 0.5;

/** Longer requests are cut, in characters: what is asked for is at the beginning. */
const MAX_CHARACTERS = 400;
/** In the place of a secret. No word of it is searched. */
const MASK = '***';

type Words = AnsweredSearch['words'];

interface Search {
  readonly request: string;
  readonly words: Words;
  readonly hits: Set<string>;
  at: number;
  readonly loads: Loaded[];
}

interface Loaded {
  readonly skill: string;
  readonly at: number;
  /** What was said against it: each skill that was loaded after it, null for another search. */
  readonly left: Set<string | null>;
}

export class Collector {
  readonly #learn: (event: Load | Left) => void;
  /** Milliseconds since 1970. */
  readonly #now: () => number;
  /** Latest search last. */
  readonly #searches = new LRUCache<string, Search[]>({ max: MAX_PRINCIPALS });

  constructor(learn: (event: Load | Left) => void, now: () => number) {
    this.#learn = learn;
    this.#now = now;
  }

  /** `who` is the name of the principal. An empty query asks for nothing. */
  searched(who: string, { query, words, hits }: AnsweredSearch): void {
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
  loaded(who: string, skill: string): void {
    const at = this.#now();
    const search = this.#of(who).findLast(({ hits }) => hits.has(skill));
    if (search === undefined || search.loads.some((load) => load.skill === skill)) return;
    // Each later load counts for itself: whose skills are hidden from someone does not count for them.
    for (const load of search.loads) if (at - load.at <= SOON_MS) this.#leave(who, search, load, skill);
    search.loads.push({ skill, at, left: new Set() });
    this.#learn({ skill, request: search.request, who, at: this.#seconds() });
  }

  #of(who: string): Search[] {
    const since = this.#now() - SAME_TASK_MS;
    const searches = (this.#searches.get(who) ?? []).filter(({ at }) => at >= since);
    this.#searches.set(who, searches);
    return searches;
  }

  #leave(who: string, { request }: Search, { skill, left }: Loaded, instead: string | null): void {
    if (left.has(instead)) return;
    left.add(instead);
    this.#learn({ skill, request, who, instead, at: this.#seconds() });
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1_000);
  }
}

/**
 * A request as it may be remembered: without secrets, on one line, and short; empty where nothing is left. Secrets go before
 * the cut, which could take the telling half of one.
 */
const requestText = (query: string): string =>
  withoutSecrets(query, MASK)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS)
    .toWellFormed()
    .trim();

/** Weight of the common words as a share of the weight of all words of both (weighted Jaccard), 0–1. */
function sharedWeight(a: Words, b: Words): number {
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
