/**
 * Any bytes on a connection of the server: it answers with HTTP or closes the connection, never with 500, and serves no request
 * whose Host or Origin is not its own. Node parses the bytes; guard, addresses, routes and limits are ours.
 */

import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { addressSet, clientAddress } from '../../../extensions/http/addresses.ts';
import { Admission } from '../../../extensions/http/admission.ts';
import { answerJson } from '../../../extensions/http/answer.ts';
import { readBody, requestIdsIn } from '../../../extensions/http/body.ts';
import { Connections } from '../../../extensions/http/connections.ts';
import { OpenRequests } from '../../../extensions/http/requests.ts';
import { requestListener, webServer } from '../../../extensions/http/server.ts';
import { forwardedHeaders, parseTarget } from '../../../extensions/scripts/network/proxy.ts';

const MAX_BODY = 4_096;
const PROXY = '127.0.0.1';

let served: { readonly host: string; readonly origin: string }[] = [];
const errors: Error[] = [];
const connections = new Connections({ max: 10, isTrusted: addressSet([PROXY]), onReject: () => {} });
const server = webServer(
  {
    connections,
    onReject: () => {},
    onInvalid: () => {},
  },
  requestListener(
    { log: () => {}, host: PROXY, port: 0, allowedHosts: ['mcp.example'], trustedProxies: [PROXY] },
    {
      routes: {
        admission: new Admission(null, connections),
        settings: {},
        resource: () => new URL('http://mcp.example/mcp'),
        metrics: null,
        notReady: () => null,
        refusal: () => null,
        warning: () => null,
        folderChanges: () => null,
        isEnding: () => false,
        pages: [],
        servePage: async () => {},
        async mcp({ request, response, address }) {
          served.push({ host: request.headers.host ?? '', origin: request.headers.origin ?? '' });
          assert.equal(address, clientAddress(addressSet([PROXY]))(request));
          const target = parseTarget(request.url ?? '');
          assert.ok(target === null || /:\d*$|:/.test(target.authority));
          forwardedHeaders(request.headers, target?.authority ?? null);
          const body = await readBody(request, MAX_BODY).catch(() => null);
          answerJson(response, 200, { ids: requestIdsIn(body?.json) });
        },
      },
      openRequests: new OpenRequests(),
      onerror: (error) => errors.push(error),
    },
  ),
);

/** A connection without a network: what is written is the answer. */
class Connection extends Duplex {
  readonly remoteAddress = PROXY;
  readonly bytesRead = 1;
  answer = '';
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.answer += chunk.toString('latin1');
    done();
  }
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
}

export async function fuzz(data: Buffer): Promise<void> {
  served = [];
  const connection = new Connection();
  const closed = new Promise<void>((resolve) => connection.once('close', resolve));
  server.emit('connection', connection);
  connection.push(data);
  connection.push(null);
  // A request whose body never ends is ended by the server's own time limits, too late for a fuzzer.
  const patience = setTimeout(() => connection.destroy(), 50);
  await closed;
  clearTimeout(patience);
  const [error] = errors.splice(0);
  if (error !== undefined) throw error;
  assert.ok(connection.answer === '' || connection.answer.startsWith('HTTP/1.1 '), connection.answer);
  assert.ok(!/^HTTP\/1\.1 5/.test(connection.answer), connection.answer);
  for (const { host, origin } of served) {
    assert.match(host, /^(?:localhost|127\.0\.0\.1|\[::1\]|mcp\.example)(?::\d*)?$/i);
    if (origin !== '') assert.ok(/localhost|127\.0\.0\.1|\[::1\]/i.test(new URL(origin).hostname), origin);
  }
}
