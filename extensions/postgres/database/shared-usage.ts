/**
 * Counters that all gateways of a database share, for rate limits. A gateway counts in memory and exchanges sums with the database
 * several times a second, in one statement: a call waits for nothing, and a limit is exceeded by at most what the others let through
 * in that time. While the database is away each gateway counts for itself.
 */

import type { Database } from './connect.ts';

/** How often sums are exchanged, ms. */
const EXCHANGE_MS = 250;
/** Most keys that are kept: older ones are forgotten, which only helps their callers. */
const MAX_KEYS = 100_000;

interface Count {
  /** Start of its window, Unix time in ms. */
  readonly started: number;
  /** Of all gateways, at the last exchange. */
  shared: number;
  /** Counted here since then. */
  own: number;
}

/** As `rate-limiter-flexible` reports a counter. */
interface Counted {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

export interface SharedCounter {
  get(key: string): Promise<Counted | null>;
  /** Adds points, and returns the sum. */
  penalty(key: string, points: number): Promise<Counted>;
}

export class SharedUsage {
  readonly #database: Database;
  readonly #schema: string;
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();
  readonly #timer: NodeJS.Timeout;
  #exchanging: Promise<void> | null = null;

  /** `now` is Unix time in ms. */
  constructor(database: Database, schema: string, now: () => number) {
    this.#database = database;
    this.#schema = schema;
    this.#now = now;
    this.#timer = setInterval(() => void this.exchange(), EXCHANGE_MS).unref();
  }

  /** Counters with this prefix, in windows of `windowMs` that begin at the same time on all gateways. */
  counter(prefix: string, windowMs: number): SharedCounter {
    const countOf = (key: string) => {
      const now = this.#now();
      const started = now - (now % windowMs);
      const found = this.#counts.get(`${prefix}:${key}`);
      return {
        count: found?.started === started ? found : null,
        started,
        msBeforeNext: started + windowMs - now,
      };
    };
    return {
      get: async (key) => {
        const { count, msBeforeNext } = countOf(key);
        return count === null ? null : { consumedPoints: count.shared + count.own, msBeforeNext };
      },
      penalty: async (key, points) => {
        const { count: known, started, msBeforeNext } = countOf(key);
        const count = known ?? { started, shared: 0, own: 0 };
        count.own += points;
        const name = `${prefix}:${key}`;
        // The most recent last, so that the oldest is forgotten.
        this.#counts.delete(name);
        this.#counts.set(name, count);
        const [oldest] = this.#counts.keys();
        if (this.#counts.size > MAX_KEYS && oldest !== undefined) this.#counts.delete(oldest);
        return { consumedPoints: count.shared + count.own, msBeforeNext };
      },
    };
  }

  /** Exchanges sums now, or joins the active exchange. Never rejects: a failure is tried again. */
  exchange(): Promise<void> {
    this.#exchanging ??= this.#exchange().finally(() => {
      this.#exchanging = null;
    });
    return this.#exchanging;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.exchange();
  }

  async #exchange(): Promise<void> {
    const sent = [...this.#counts]
      .filter(([, { own }]) => own > 0)
      .map(([key, count]) => ({ key, count, own: count.own }));
    if (sent.length === 0) return;
    // In one order everywhere, so that two gateways never wait for each other.
    sent.sort((a, b) => (a.key < b.key ? -1 : 1));
    for (const { count, own } of sent) count.own -= own;
    try {
      const usage = `${this.#schema}.usage`;
      const sums = await this.#database.short.query<{ key: string; started: number; points: number }>(
        `insert into ${usage} as known (key, started, points)
         select * from unnest($1::text[], $2::bigint[], $3::bigint[]) as sent (key, started, points) order by 1
         on conflict (key, started) do update set points = known.points + excluded.points
         returning key, started::float8 as started, points::float8 as points`,
        [sent.map(({ key }) => key), sent.map(({ count }) => count.started), sent.map(({ own }) => own)],
      );
      const points = new Map(sums.map((row) => [row.key, row.points]));
      for (const { key, count } of sent) count.shared = points.get(key) ?? count.shared;
      await this.#forget();
    } catch {
      for (const { count, own } of sent) count.own += own;
    }
  }

  #forgottenAt = 0;

  /** Removes windows that are over, now and then. */
  async #forget(): Promise<void> {
    const now = this.#now();
    if (now - this.#forgottenAt < FORGET_MS) return;
    this.#forgottenAt = now;
    for (const [key, { started }] of this.#counts) if (started < now - FORGET_MS) this.#counts.delete(key);
    await this.#database.short.query(`delete from ${this.#schema}.usage where started < $1`, [
      now - 2 * FORGET_MS,
    ]);
  }
}

/** Older windows are removed, ms: longer than any of them. */
const FORGET_MS = 5 * 60_000;
