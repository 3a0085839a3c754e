/**
 * An audit log that all gateways of a database write, in batches. Each gateway's lines keep their order. Lines
 * wait in memory while the database is away; beyond a bound they are lost, counted, and reported once.
 */

import type { Database } from './connect.ts';

/** How often lines are written, ms, and how many at once. */
const WRITE_MS = 200;
const MAX_LINES = 1_000;
/** Bytes of lines that wait. */
const MAX_BYTES = 16 * 2 ** 20;
/** Longest wait for the last lines at the end, ms. */
const CLOSE_TRIES = 5;

export interface SharedLogOptions {
  readonly database: Database;
  readonly schema: string;
  /** Unique; names this gateway. */
  readonly writer: string;
  /** Reports a failure to the operator. */
  readonly log: (message: string) => void;
  /** Called for each lost line. */
  readonly onLost: () => void;
}

export class SharedLog {
  readonly #options: SharedLogOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: { readonly seq: number; readonly line: string }[] = [];
  #bytes = 0;
  #seq = 0;
  #failing = false;
  #writing: Promise<void> | null = null;

  constructor(options: SharedLogOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#flush(), WRITE_MS).unref();
  }

  /** All lines, in the order in which they were written. */
  static async *lines(database: Database, schema: string): AsyncGenerator<string> {
    for (let after = 0; ; ) {
      const rows = await database.query<{ id: number; line: string }>(
        `select id::float8 as id, line from ${schema}.audit where id > $1 order by id limit ${MAX_LINES}`,
        [after],
      );
      for (const { line } of rows) yield line;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  /** Takes one line with its line break. Never throws. */
  write(text: string): void {
    const line = text.trimEnd();
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > MAX_BYTES) {
      this.#failed('too many lines wait');
      this.#options.onLost();
      return;
    }
    this.#seq += 1;
    this.#waiting.push({ seq: this.#seq, line });
    this.#bytes += bytes;
  }

  /** There is no file to open again. */
  reopen(): void {}

  /** True from the first line that could not be written until all lines are. */
  failing(): boolean {
    return this.#failing;
  }

  /** Writes what waits. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (let tries = 0; tries < CLOSE_TRIES && this.#waiting.length > 0; tries += 1) await this.#flush();
    for (const _ of this.#waiting) this.#options.onLost();
  }

  #flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { database, schema, writer } = this.#options;
    const batch = this.#waiting.slice(0, MAX_LINES);
    if (batch.length === 0) return;
    try {
      // A batch whose answer was lost may have been written: its numbers say so. A gateway may not read the table, so it names no columns.
      await database.short.query(
        `insert into ${schema}.audit (writer, seq, line)
         select $1, seq, line from unnest($2::bigint[], $3::text[]) as sent (seq, line) order by seq
         on conflict do nothing`,
        [writer, batch.map(({ seq }) => seq), batch.map(({ line }) => line)],
      );
      this.#waiting = this.#waiting.slice(batch.length);
      this.#bytes = this.#waiting.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0);
      this.#failing = false;
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error));
    }
  }

  #failed(reason: string): void {
    if (!this.#failing)
      this.#options.log(
        `The audit log of the database cannot be written: ${reason} Lines wait, then are lost.`,
      );
    this.#failing = true;
  }
}
