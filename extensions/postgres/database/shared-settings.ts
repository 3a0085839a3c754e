/**
 * Values that all gateways of a database share, such as tokens and the policy: a JSON value and its version by name. Changed
 * under a lock of the row, and asked for several times a second: a notice would come sooner, and needs a poll behind it anyway.
 */

import type { Database } from './connect.ts';

/** How often a value is asked for, ms. */
const POLL_MS = 200;

export interface Setting {
  /** Grows with each change; 0 while there is none. */
  readonly version: number;
  readonly value: unknown;
}

export class SharedSettings {
  readonly #database: Database;
  readonly #schema: string;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** The value with that name. Rejects with `StoreError`. */
  async read(name: string): Promise<Setting> {
    const [found] = await this.#database.short.query<Setting>(
      `select version::float8 as version, value from ${this.#schema}.setting where name = $1`,
      [name],
    );
    return found ?? { version: 0, value: null };
  }

  /** Replaces the value by `change(value)`, which is JSON and not null; of several changes at once, each sees the one before. */
  async change(name: string, change: (value: unknown) => unknown): Promise<void> {
    const setting = `${this.#schema}.setting`;
    await this.#database.transaction(async (transaction) => {
      await transaction.query(
        `insert into ${setting} (name, version, value) values ($1, 0, 'null') on conflict do nothing`,
        [name],
      );
      const [found] = await transaction.query<Setting>(
        `select value from ${setting} where name = $1 for update`,
        [name],
      );
      await transaction.query(
        `update ${setting} set value = $2::jsonb, version = version + 1, changed_at = now() where name = $1`,
        [name, JSON.stringify(change(found?.value ?? null))],
      );
    });
  }

  /**
   * Calls back with the value each time that it was read, changed or not, and with the time at which the query began; with each failure to
   * read it. Returns how to stop.
   */
  follow(
    name: string,
    onValue: (setting: Setting, askedAt: number) => void,
    onError: (error: unknown) => void,
  ): () => void {
    let reading = false;
    let stopped = false;
    const read = async () => {
      if (reading) return;
      reading = true;
      const askedAt = performance.now();
      try {
        const setting = await this.read(name);
        if (!stopped) onValue(setting, askedAt);
      } catch (error) {
        if (!stopped) onError(error);
      } finally {
        reading = false;
      }
    };
    const timer = setInterval(() => void read(), POLL_MS).unref();
    void read();
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }
}
