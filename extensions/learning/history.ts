/**
 * What was learned, in memory: how often each principal loaded a skill for a request, and left it again. `store.ts` keeps it.
 * Bounded: the principal with most uses loses the weakest of them, so no one can push out what others taught.
 */

import { MAX_LEFT_FOR, type Use } from './lines.ts';

/** After this time a load counts half, seconds. */
export const HALF_LIFE = 90 * 86_400;
/** Most uses of one skill. */
const MAX_PER_SKILL = 64;
/** Most uses in all: at most 12 MB on disk after compaction, and usually a tenth of that. */
const MAX_USES = 20_000;
/** A load that was left counts against the skill, beyond what it counted for it. */
const LEFT_WEIGHT = 2;

/** A principal loaded a skill that a search for `request` had found. */
export interface Load {
  readonly skill: string;
  /** From `requestText`. */
  readonly request: string;
  readonly who: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** The loaded skill did not help: another one was loaded (its id), or the same need was searched again (null). */
export interface Left extends Load {
  readonly instead: string | null;
}

export interface Request {
  readonly text: string;
  /** Its place in `History.requests`. */
  readonly row: number;
  /** By principal. Empty once it is forgotten. */
  readonly uses: Map<string, Use>;
}

export class History {
  /** Every request that was ever set, in that order; the forgotten ones have no uses. */
  readonly requests: Request[] = [];
  /** By the skill's id, then by `keyOf`. */
  readonly skills = new Map<string, Map<string, Request>>();
  readonly #mostUses: number;
  #size = 0;

  constructor(mostUses = MAX_USES) {
    this.#mostUses = mostUses;
  }

  /** Number of uses. */
  get size(): number {
    return this.#size;
  }

  /** In the order in which skills and requests came. */
  *uses(): Generator<Use> {
    for (const requests of this.skills.values())
      for (const { uses } of requests.values()) yield* uses.values();
  }

  /** The sum after one more load, or after a load was left; null where none is known that could be left. */
  after(event: Load | Left): Use | null {
    const { skill, request, who, at } = event;
    const known = this.skills.get(skill)?.get(requestKey(request))?.uses.get(who);
    const isLeft = 'instead' in event;
    if (known === undefined)
      return isLeft ? null : { kind: 'use', skill, request, who, used: 1, left: [], at };
    const aged = agedUntil(known, at);
    return isLeft
      ? { ...aged, left: withOneMore(aged.left, event.instead) }
      : { ...aged, used: aged.used + 1 };
  }

  /** Takes the place of what was known of this principal, skill and request. */
  set(use: Use): void {
    const requests = this.skills.get(use.skill) ?? new Map<string, Request>();
    this.skills.set(use.skill, requests);
    const key = requestKey(use.request);
    let request = requests.get(key);
    if (request === undefined) {
      request = { text: use.request, row: this.requests.length, uses: new Map() };
      this.requests.push(request);
      requests.set(key, request);
    }
    if (!request.uses.has(use.who)) this.#size += 1;
    request.uses.set(use.who, use);
    this.#bound(requests, use.at);
  }

  /** Forgets what a principal taught. */
  forget(who: string): void {
    for (const use of [...this.uses()]) if (use.who === who) this.#remove(use);
  }

  #bound(requests: ReadonlyMap<string, Request>, at: number): void {
    const own = Array.from(requests.values(), ({ uses }) => [...uses.values()]).flat();
    if (own.length > MAX_PER_SKILL) this.#evict(own, own.length - MAX_PER_SKILL, at);
    // A tenth at a time, since it looks at everything.
    if (this.#size > this.#mostUses) this.#evict([...this.uses()], Math.ceil(this.#mostUses / 10), at);
  }

  /** Removes uses of the principal with most of them, the weakest and then the oldest first. */
  #evict(uses: readonly Use[], count: number, at: number): void {
    const byWho = new Map<string, { readonly use: Use; readonly weight: number }[]>();
    for (const use of uses) {
      const own = byWho.get(use.who) ?? [];
      own.push({ use, weight: use.used * decay(at - use.at) });
      byWho.set(use.who, own);
    }
    for (const own of byWho.values()) own.sort((a, b) => b.weight - a.weight || b.use.at - a.use.at);
    for (let removed = 0; removed < count; removed += 1) {
      const most = [...byWho.values()].reduce((longest, own) =>
        own.length > longest.length ? own : longest,
      );
      this.#remove(most.pop()!.use);
    }
  }

  #remove({ skill, request: text, who }: Use): void {
    const requests = this.skills.get(skill);
    const request = requests?.get(requestKey(text));
    if (request?.uses.delete(who) !== true) return;
    this.#size -= 1;
    if (request.uses.size === 0) requests!.delete(requestKey(text));
    if (requests!.size === 0) this.skills.delete(skill);
  }
}

/**
 * How much a use says for its skill at a time (seconds), −1 to 1; below 0 it says against it. What was preferred to the
 * skill counts only where `isThere` knows it: no one's answer depends on skills that are hidden from them.
 */
export function weighUse({ used, left, at }: Use, time: number, isThere: (skill: string) => boolean): number {
  let net = used;
  for (const [instead, times] of left) if (instead === null || isThere(instead)) net -= LEFT_WEIGHT * times;
  return Math.max(-1, Math.min(1, net)) * decay(time - at);
}

/** Requests that differ only in case are one. */
const requestKey = (request: string) => request.toLowerCase();

/** A clock that was put back ages nothing. */
const decay = (seconds: number) => 2 ** (-Math.max(0, seconds) / HALF_LIFE);

function agedUntil(use: Use, at: number): Use {
  const kept = decay(at - use.at);
  const left = use.left.map(([instead, times]): Use['left'][number] => [instead, times * kept]);
  return { ...use, used: use.used * kept, left, at: Math.max(use.at, at) };
}

function withOneMore(left: Use['left'], instead: string | null): Use['left'] {
  if (left.some(([other]) => other === instead))
    return left.map(([other, times]) => [other, other === instead ? times + 1 : times]);
  return left.length < MAX_LEFT_FOR ? [...left, [instead, 1]] : left;
}
