/** However many calls arrive at once, they start one after another, with other work in between. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Admission } from '../../../extensions/http/admission.ts';
import { serveMcp } from '../../../extensions/http/endpoint.ts';
import { Exchange } from '../../../extensions/http/exchange.ts';
import { rateLimiter } from '../../../extensions/http/rate-limits.ts';
import { Concurrency, OpenRequests } from '../../../extensions/http/requests.ts';
import { DEFAULT_LIMITS } from '../../../extensions/http/settings.ts';

const CALLS = 20;

function arrived(body: string): Exchange {
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  request.url = '/mcp';
  request.headers = { 'content-type': 'application/json' };
  request.push(body);
  request.push(null);
  return new Exchange(request, new ServerResponse(request), {
    metrics: null,
    onAccess: undefined,
    now: () => performance.now(),
    addressOf: () => '127.0.0.1',
  });
}

it('calls that arrive in one turn of the event loop start in turns of their own', async () => {
  /** Ends with the turn: whatever was waiting has been looked at then. */
  let isTaken = false;
  let together = 0;
  let started = 0;
  const options = {
    mcp: {
      async fetch() {
        started += 1;
        if (isTaken) together += 1;
        isTaken = true;
        setImmediate(() => {
          isTaken = false;
        });
        return Response.json({});
      },
    },
    admission: new Admission(null, { hold: () => true }),
    limiter: rateLimiter(DEFAULT_LIMITS),
    calls: new Concurrency(CALLS),
    streams: new Concurrency(1),
    tokens: null,
    openRequests: new OpenRequests(),
    limits: DEFAULT_LIMITS,
    changes: undefined,
    log: () => {},
  };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  await Promise.all(Array.from({ length: CALLS }, () => serveMcp(arrived(call), options, {})));
  expect({ started, together }).toEqual({ started: CALLS, together: 0 });
});
