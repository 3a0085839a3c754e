/**
 * What was learned, in memory: which skills were loaded for which requests, by whom, and which were left again. Records change
 * it, `store.ts` keeps them. Bounded: the principal with most uses loses the weakest of them, so nobody can push out
 * what others taught.
 */

import type { Known, LearnedRecord } from './records.ts';
import { requestKey } from './request-text.ts';

/** Most uses (one principal, one request) of one skill. */
const MAX_PER_SKILL = 64;
/** Most uses in all: at most 12 MB on disk after compaction, and usually a tenth of that. */
const MAX_USES = 20_000;
/** How many of the skills that were preferred to another one are remembered. */
const MAX_LEFT_FOR = 16;
/** A load that was left counts against the skill, beyond what it counted for it. */
const LEFT_WEIGHT = 2;

/** One principal's loads of a skill for one request. */
export interface Use {
  readonly who: string;
  /** Loads, decayed until `last`. */
  used: number;
  /** Loads after which another skill was loaded (its id), or the same need searched again (null), decayed until `last`. */
  left: Map<string | null, number>;
  /** Seconds since 1970. */
  first: number;
  last: number;
}

export interface Request {
  readonly text: string;
  /** Number of the request in `History.requests`. */
  readonly row: number;
  /** By principal. Empty once it is forgotten. */
  readonly uses: Map<string, Use>;
}

export interface SkillHistory {
  /** The skill's id in the catalog. */
  id: string;
  /** As its author named it, and the digest of its files: they find it after its folder was renamed. */
  name: string;
  digest: string;
  /** Since when the catalog lacks it, seconds since 1970; null where it is there. */
  goneSince: number | null;
  /** By `requestKey`. */
  readonly requests: Map<string, Request>;
}

export class History {
  /** Every request that was ever added, in that order; the forgotten ones have no uses. */
  readonly requests: Request[] = [];
  readonly skills = new Map<string, SkillHistory>();
  readonly #halfLife: number;
  readonly #mostUses: number;
  #uses = 0;
  #version = 0;

  /** `halfLife` in seconds. */
  constructor(halfLife: number, mostUses = MAX_USES) {
    this.#halfLife = halfLife;
    this.#mostUses = mostUses;
  }

  /** Number of uses. */
  get size(): number {
    return this.#uses;
  }

  /** Changes when a skill comes, goes or gets another id. */
  get version(): number {
    return this.#version;
  }

  apply(record: LearnedRecord): void {
    if (record.kind === 'use') this.#used(record);
    else if (record.kind === 'left') this.#left(record);
    else if (record.kind === 'known') this.#known(record);
    else if (record.kind === 'moved') this.#moved(record);
    else if (record.kind === 'edited') this.#edited(record);
    else if (record.kind === 'forget') this.#forget(record);
    else if (record.kind === 'gone') this.#gone(record);
  }

  /**
   * How much a use says for its skill at a time (seconds), −1 to 1; below 0 it says against it. What was preferred to
   * the skill counts only where `isThere` knows it: nobody's answer depends on skills that are hidden from them.
   */
  weightOf({ used, left, last }: Use, at: number, isThere: (skill: string) => boolean): number {
    let net = used;
    for (const [instead, times] of left) if (instead === null || isThere(instead)) net -= LEFT_WEIGHT * times;
    return Math.max(-1, Math.min(1, net)) * this.#decay(at - last);
  }

  /** Everything, as records that make it again; skills and requests in the order in which they came. */
  *records(): Generator<LearnedRecord> {
    yield* this.known();
    for (const { id, goneSince } of this.skills.values())
      if (goneSince !== null) yield { kind: 'gone', skill: id, at: goneSince };
  }

  *known(): Generator<Known> {
    for (const skill of this.skills.values())
      for (const { text, uses } of skill.requests.values())
        for (const use of uses.values()) yield knownOf(skill, text, use);
  }

  #used(record: Extract<LearnedRecord, { kind: 'use' }>): void {
    const { skill, at } = record;
    const use = this.#useOf(record, at);
    this.#age(use, at);
    use.used += 1;
    this.#bound(skill, at);
  }

  #left({ skill, request, who, instead, at }: Extract<LearnedRecord, { kind: 'left' }>): void {
    const use = this.skills.get(skill)?.requests.get(requestKey(request))?.uses.get(who);
    if (use === undefined) return;
    this.#age(use, at);
    if (use.left.has(instead) || use.left.size < MAX_LEFT_FOR)
      use.left.set(instead, (use.left.get(instead) ?? 0) + 1);
  }

  /** The larger of both counts, so that reading a file twice changes nothing. */
  #known(record: Known): void {
    const { skill, used, left, first, last } = record;
    const use = this.#useOf(record, first);
    use.used = Math.max(use.used, used);
    for (const [instead, times] of left) use.left.set(instead, Math.max(use.left.get(instead) ?? 0, times));
    use.first = Math.min(use.first, first);
    use.last = Math.max(use.last, last);
    this.#bound(skill, last);
  }

  #moved({ from, to }: Extract<LearnedRecord, { kind: 'moved' }>): void {
    const skill = this.skills.get(from);
    if (skill === undefined || from === to) return;
    this.#version += 1;
    this.skills.delete(from);
    if (this.skills.has(to)) {
      for (const { text, uses } of skill.requests.values()) {
        this.#uses -= uses.size;
        for (const use of uses.values()) this.#known(knownOf({ ...skill, id: to }, text, use));
        uses.clear();
      }
      return;
    }
    skill.id = to;
    skill.goneSince = null;
    this.skills.set(to, skill);
  }

  /** Also a skill that is there again. */
  #edited({ skill: id, name, digest }: Extract<LearnedRecord, { kind: 'edited' }>): void {
    const skill = this.skills.get(id);
    if (skill === undefined) return;
    skill.name = name;
    skill.digest = digest;
    skill.goneSince = null;
  }

  #gone({ skill: id, at }: Extract<LearnedRecord, { kind: 'gone' }>): void {
    const skill = this.skills.get(id);
    if (skill !== undefined) skill.goneSince ??= at;
  }

  #forget({ skill: id, request, who }: Extract<LearnedRecord, { kind: 'forget' }>): void {
    const wanted = request === undefined ? undefined : requestKey(request);
    for (const skill of [...this.skills.values()])
      for (const [key, { uses }] of [...skill.requests])
        for (const use of [...uses.values()])
          if (
            (id === undefined || id === skill.id) &&
            (wanted === undefined || wanted === key) &&
            (who === undefined || who === use.who)
          )
            this.#remove(skill, key, use);
  }

  #useOf(
    {
      skill: id,
      name,
      digest,
      request: text,
      who,
    }: Omit<Extract<LearnedRecord, { kind: 'use' }>, 'kind' | 'at'>,
    at: number,
  ): Use {
    let skill = this.skills.get(id);
    if (skill === undefined) {
      skill = { id, name, digest, goneSince: null, requests: new Map() };
      this.skills.set(id, skill);
      this.#version += 1;
    }
    skill.name = name;
    skill.digest = digest;
    const key = requestKey(text);
    let request = skill.requests.get(key);
    if (request === undefined) {
      request = { text, row: this.requests.length, uses: new Map() };
      this.requests.push(request);
      skill.requests.set(key, request);
    }
    const known = request.uses.get(who);
    if (known !== undefined) return known;
    const use: Use = { who, used: 0, left: new Map(), first: at, last: at };
    request.uses.set(who, use);
    this.#uses += 1;
    return use;
  }

  #age(use: Use, at: number): void {
    const kept = this.#decay(at - use.last);
    use.used *= kept;
    for (const [instead, times] of use.left) use.left.set(instead, times * kept);
    use.last = Math.max(use.last, at);
  }

  /** A clock that was put back ages nothing. */
  #decay(seconds: number): number {
    return 2 ** (-Math.max(0, seconds) / this.#halfLife);
  }

  #bound(id: string, at: number): void {
    const skill = this.skills.get(id)!;
    let own = 0;
    for (const { uses } of skill.requests.values()) own += uses.size;
    if (own > MAX_PER_SKILL) this.#evict([skill], own - MAX_PER_SKILL, at);
    // A tenth at a time, since it looks at everything.
    if (this.#uses > this.#mostUses)
      this.#evict([...this.skills.values()], Math.ceil(this.#mostUses / 10), at);
  }

  /** Removes uses of the principal with most of them, the weakest and then the oldest first. */
  #evict(skills: readonly SkillHistory[], count: number, at: number): void {
    const byWho = new Map<string, { skill: SkillHistory; key: string; use: Use; weight: number }[]>();
    for (const skill of skills)
      for (const [key, { uses }] of skill.requests)
        for (const use of uses.values()) {
          const weight = use.used * this.#decay(at - use.last);
          const own = byWho.get(use.who) ?? [];
          own.push({ skill, key, use, weight });
          byWho.set(use.who, own);
        }
    for (const own of byWho.values())
      own.sort((a, b) => b.weight - a.weight || b.use.last - a.use.last || (a.key < b.key ? -1 : 1));
    for (let left = count; left > 0; left -= 1) {
      let most: (typeof byWho extends Map<string, infer List> ? List : never) | undefined;
      for (const own of byWho.values()) if (most === undefined || own.length > most.length) most = own;
      const weakest = most?.pop();
      if (weakest === undefined) return;
      this.#remove(weakest.skill, weakest.key, weakest.use);
    }
  }

  #remove(skill: SkillHistory, key: string, { who }: Use): void {
    const request = skill.requests.get(key);
    if (request?.uses.delete(who) !== true) return;
    this.#uses -= 1;
    if (request.uses.size === 0) skill.requests.delete(key);
    if (skill.requests.size > 0) return;
    this.skills.delete(skill.id);
    this.#version += 1;
  }
}

const knownOf = (
  { id, name, digest }: Pick<SkillHistory, 'id' | 'name' | 'digest'>,
  request: string,
  use: Use,
): Known => ({
  kind: 'known',
  skill: id,
  name,
  digest,
  request,
  ...use,
  left: [...use.left],
});
