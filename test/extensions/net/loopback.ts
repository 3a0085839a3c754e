/** A server on loopback whose answers the test controls. It can be away or silent. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { endWithTest } from '../../end-with-test.ts';

export interface Loopback {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  /** Every request so far, in order. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** `away` ends connections; `silent` accepts requests and never answers. */
  mood: 'sound' | 'away' | 'silent';
  close(): Promise<void>;
}

export async function loopback(
  answer: Loopback['answer'] = (_, response) => response.end('hello'),
): Promise<Loopback> {
  const http = createServer((request, response) => {
    server.requests.push({ path: request.url ?? '', headers: request.headers });
    if (server.mood === 'away') response.destroy();
    else if (server.mood === 'sound') server.answer(request, response);
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const server: Loopback = {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests: [],
    answer,
    mood: 'sound',
    close: () =>
      new Promise((done) => {
        http.close(() => done());
        http.closeAllConnections();
      }),
  };
  endWithTest(() => server.close());
  return server;
}
