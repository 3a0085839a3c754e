/** How late this process's event loop answers while an attack runs: what `/healthz` would wait, at least. */

import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Requests a second: about one every 10 ms. */
const PAUSE_MS = 10;

/** Milliseconds that a request to a server of this process took, at the 99th percentile, while `attack` went on. */
export async function healthP99During(attack: () => Promise<unknown>): Promise<number> {
  const server = createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const took: number[] = [];
  let over = false;
  const asking = (async () => {
    while (!over) {
      const start = performance.now();
      await new Promise<void>((resolve, reject) => {
        get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) => {
          response.resume().on('end', resolve);
        }).on('error', reject);
      });
      took.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  try {
    await attack();
  } finally {
    over = true;
    await asking;
    await new Promise((resolve) => server.close(resolve));
  }
  const sorted = took.toSorted((a, b) => a - b);
  return sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0;
}

/** Bound of the tests, ms: the machine that runs them is busy. What is measured on an idle one stands in bench/. */
export const HEALTH_BOUND_MS = 250;
