/** Which connections stay, with sockets that are only counted. */

import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Connections } from '../../../extensions/http/connections.ts';

const MAX = 64;
const RESERVE = 32;

class FakeSocket extends EventEmitter {
  static #port = 1_024;
  readonly remoteAddress: string;
  readonly remotePort = FakeSocket.#port++;
  readonly localAddress = '192.0.2.1';
  destroyed = false;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** An answer that waits for an earlier one of its connection. */
class FakeResponse extends EventEmitter {
  readonly socket = null;
  destroyed = false;
  destroy(): this {
    this.destroyed = true;
    return this;
  }
}

function opened(trusted = '') {
  let at = 0;
  const rejected: string[] = [];
  const connections = new Connections({
    max: MAX,
    isTrusted: (address) => address === trusted,
    onReject: (reason) => rejected.push(reason),
    now: () => at,
  });
  return {
    rejected,
    after(ms: number) {
      at += ms;
      connections.closeSilent();
    },
    add(address: string) {
      const socket = new FakeSocket(address);
      connections.add(socket as unknown as Socket);
      return socket;
    },
    many(count: number, address: (at: number) => string) {
      return Array.from({ length: count }, (_, nth) => this.add(address(nth)));
    },
    /** A request, and the end of its answer. */
    ask(socket: FakeSocket) {
      const response = new FakeResponse();
      connections.asked({ socket } as unknown as IncomingMessage, response as unknown as ServerResponse);
      return response;
    },
    /** The caller is admitted; the result ends its answer. Null: refused. */
    hold(socket: FakeSocket) {
      const response = this.ask(socket);
      return connections.hold(response as unknown as ServerResponse) ? () => response.emit('close') : null;
    },
  };
}

const staying = (sockets: readonly FakeSocket[]) => sockets.filter(({ destroyed }) => !destroyed).length;
/** Addresses of many networks. */
const apart = (nth: number) => `198.51.100.${nth % 200}`;

it('the connection that has been silent longest gives way to a new one', () => {
  const server = opened();
  const crowd = server.many(MAX + RESERVE, apart);
  expect(staying(crowd)).toBe(MAX + RESERVE);
  // A request, answered or not, breaks the silence.
  server.ask(crowd[0] as FakeSocket);
  const late = server.add('203.0.113.1');
  expect([late, ...crowd].map(({ destroyed }) => destroyed).slice(0, 4)).toEqual([false, false, true, false]);
  expect(server.rejected).toEqual(['connections']);
});

it('a connection whose caller was admitted stays until the answer has ended', () => {
  const server = opened();
  const first = server.add('203.0.113.1');
  const end = server.hold(first);
  server.after(10 * 60_000);
  server.many(2 * (MAX + RESERVE), apart);
  expect(first.destroyed).toBe(false);
  end?.();
  server.many(MAX + RESERVE, apart);
  expect(first.destroyed).toBe(true);
});

it('admitted callers leave a reserve for probes', () => {
  const server = opened();
  const crowd = server.many(MAX + RESERVE, apart);
  const held = crowd.map((socket) => server.hold(socket));
  expect(held.filter((end) => end !== null)).toHaveLength(MAX);
  const probe = server.add('203.0.113.1');
  expect(probe.destroyed).toBe(false);
  expect(staying(crowd)).toBe(MAX + RESERVE - 1);
  held[0]?.();
  expect(server.hold(probe)).not.toBeNull();
});

it.each([
  ['an address', () => '203.0.113.1'],
  ['64 bits of IPv6', (nth: number) => `2001:db8:1:2::${nth + 1}`],
])('%s that has no admitted caller has an eighth of the connections', (_, address) => {
  const server = opened();
  const other = server.add('203.0.113.2');
  const crowd = server.many(40, address);
  // 64 / 8 = 8, the newest.
  expect(crowd.map(({ destroyed }) => !destroyed)).toEqual([
    ...Array(32).fill(false),
    ...Array(8).fill(true),
  ]);
  expect(other.destroyed).toBe(false);
  expect(server.rejected).toEqual(Array(32).fill('address'));
});

it('an address with an admitted caller, and a trusted proxy, may have all of them', () => {
  const proxy = '203.0.113.9';
  const server = opened(proxy);
  expect(staying(server.many(40, () => proxy))).toBe(40);
  server.hold(server.add('203.0.113.1'))?.();
  expect(staying(server.many(40, () => '203.0.113.1'))).toBe(40);
});

it('a connection that asks nothing within ten seconds is closed, and one that is idle after a minute', () => {
  const server = opened();
  const [silent, idle] = [server.add('203.0.113.1'), server.add('203.0.113.2')];
  server.after(9_000);
  server.ask(idle);
  expect(silent.destroyed).toBe(false);
  server.after(1_000);
  expect([silent.destroyed, idle.destroyed]).toEqual([true, false]);
  server.after(60_000);
  expect(idle.destroyed).toBe(false);
  server.after(10_000);
  expect(idle.destroyed).toBe(true);
});

it('answers that have not begun end with their connection', () => {
  const server = opened();
  const socket = server.add('203.0.113.1');
  const answers = [server.ask(socket), server.ask(socket)];
  let ended = 0;
  for (const answer of answers) answer.once('close', () => (ended += 1));
  socket.destroy();
  expect(ended).toBe(2);
});
