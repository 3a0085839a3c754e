/**
 * Silence of the network, as opposed to that of this process: after a long pause its timers run before it reads what has arrived
 * meanwhile, so each of them waits until that was read.
 */

import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';

/** Calls once what has arrived by now was read. */
export function afterArrivals(call: () => void): void {
  // Immediates run after arrivals; the second one, after what those led to.
  setImmediate(() => setImmediate(call));
}

/** Ends a connection on which nothing arrives or leaves for so long, ms, until the returned function is called. */
export function endAfterSilence(client: ClientBase, ms: number): () => void {
  // The driver's socket, which its types do not name: that of TLS where there is one.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  let isLent = true;
  const onSilence = () => {
    const { bytesRead, bytesWritten } = stream;
    afterArrivals(() => {
      const isSilent = stream.bytesRead === bytesRead && stream.bytesWritten === bytesWritten;
      if (isLent && isSilent) stream.destroy(new Error(`nothing arrived for ${ms / 1_000} s`));
    });
  };
  stream.setTimeout(ms).on('timeout', onSilence);
  return () => {
    isLent = false;
    stream.setTimeout(0).off('timeout', onSilence);
  };
}
