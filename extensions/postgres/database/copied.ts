/**
 * Bytes by `COPY … TO STDOUT` in the binary format. The driver turns the columns of an ordinary answer into text, twice as long
 * as the bytes; chunks of a copy it hands on as they are.
 */

import type { Connection, PoolClient, Submittable } from 'pg';

/** Signature, flags, and length of the extension: what comes before the first row. */
const HEADER_BYTES = 19;
/** A row begins with the number of its columns, and each column with its length. */
const COLUMNS_BYTES = 2;
const LENGTH_BYTES = 4;

/**
 * The rows of a query for one column of type `bytea`, in the memory of `into` as far as it reaches. Rejects with the driver's error; the
 * connection is then useless.
 */
export function copied(
  client: PoolClient,
  query: string,
  into: readonly Uint8Array[] = [],
): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const rows: Uint8Array[] = [];
    let failure: Error | null = null;
    let isFirst = true;
    // The driver calls these for the answers to the query; its types name only `submit`.
    const submittable = {
      submit: (connection: Connection) => connection.query(`copy (${query}) to stdout (format binary)`),
      handleCopyData({ chunk }: { readonly chunk: Buffer }) {
        const row = isFirst ? chunk.subarray(HEADER_BYTES) : chunk;
        isFirst = false;
        // The trailer has -1 columns, and the header may come alone.
        if (row.length < COLUMNS_BYTES || row.readInt16BE(0) !== 1) return;
        const start = COLUMNS_BYTES + LENGTH_BYTES;
        // The driver writes the next chunk over this one.
        rows.push(kept(row.subarray(start, start + row.readInt32BE(COLUMNS_BYTES)), into[rows.length]));
      },
      handleError(error: Error) {
        failure = error;
        submittable.callback(error);
        reject(error);
      },
      handleReadyForQuery() {
        if (failure !== null) return;
        submittable.callback(null);
        resolve(rows);
      },
      callback(_error: Error | null) {},
      handleCommandComplete() {},
      handleRowDescription() {},
      handleDataRow() {},
      handlePortalSuspended() {},
      handleEmptyQuery() {},
    };
    client.query(submittable satisfies Submittable);
  });
}

function kept(row: Uint8Array, memory: Uint8Array | undefined): Uint8Array {
  if (memory === undefined || memory.length < row.length) return new Uint8Array(row);
  memory.set(row);
  return memory.subarray(0, row.length);
}
