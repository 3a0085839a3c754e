/** A server for one test, and one plain HTTP request with any headers, including `Host`, and its answer as text. */

import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import { endWithTest } from '../../../end-with-test.ts';

/** Listens on loopback until the test has ended. */
export async function listening(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = endWithTest(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { server, url: `http://127.0.0.1:${port}`, port, close };
}

export interface Asked {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

export function ask(url: string, { method = 'GET', headers = {}, body }: Question = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A request of a client of an older revision. */
export const post = (url: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  ask(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
