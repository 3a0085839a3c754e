/** What the store needs of a PostgreSQL connection: `connect.ts` opens one over `pg`; tests also use PGlite. */

export interface Querying {
  /** Rows as objects. Numbers beyond 32 bits must be cast to `float8` in the query. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Database extends Querying {
  /**
   * The rows of a query for one column of type `bytea`. It takes no parameters. `into`: memory for the rows, in their order, so that a
   * caller of many queries needs no new memory for each; a row without enough of it gets its own.
   */
  bytes(query: string, into?: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  /** Commits what `use` did, or undoes it where `use` rejects. */
  transaction<Result>(use: (database: Querying) => Promise<Result>): Promise<Result>;
  /** Calls back for each notice on the channel, and after each time that notices may have been missed. */
  listen(channel: string, onNotice: () => void): () => void;
  close(): Promise<void>;
}
