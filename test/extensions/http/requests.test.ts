/** Counting open requests, and calls of each caller. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Concurrency, OpenRequests, Pace } from '../../../extensions/http/requests.ts';

const response = () => new ServerResponse(new IncomingMessage(new Socket()));

describe('OpenRequests', () => {
  it('settle with the last answer, without streams', async () => {
    const requests = new OpenRequests();
    await requests.settled(60_000);
    const [one, two, stream] = [response(), response(), response()];
    for (const each of [one, two, stream]) requests.add(each);
    requests.forget(stream);
    let settled = false;
    // A test that waits for this time has failed.
    const waiting = requests.settled(2 ** 31 - 1).then(() => {
      settled = true;
    });
    one.emit('close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    two.emit('close');
    await waiting;
  });

  it('settle after the timeout', async () => {
    const requests = new OpenRequests();
    requests.add(response());
    await requests.settled(1);
  });
});

const alice = { id: 'alice', scopes: [] };
const bob = { id: 'bob', scopes: [] };

describe('Concurrency', () => {
  it('limits what each caller has at once, until answers end', () => {
    const calls = new Concurrency(3);
    const [one, batch] = [response(), response()];
    expect(calls.take(alice, 1, one)).toBe(true);
    expect(calls.take(alice, 2, batch)).toBe(true);
    expect(calls.take(alice, 1, response())).toBe(false);
    expect(calls.take(bob, 3, response())).toBe(true);
    batch.emit('close');
    expect(calls.take(alice, 3, response())).toBe(false);
    expect(calls.take(alice, 2, response())).toBe(true);
    one.emit('close');
    expect(calls.take(alice, 1, response())).toBe(true);
  });

  it('counts nothing for answers and notifications of a client', () => {
    const calls = new Concurrency(1);
    calls.take(alice, 1, response());
    expect(calls.take(alice, 0, response())).toBe(true);
  });
});

describe('Pace', () => {
  const PAUSE_MS = 20;

  it('lets one of a key through per pause, in order, and those of another key at once', async () => {
    const pace = new Pace(PAUSE_MS);
    const order: string[] = [];
    const start = performance.now();
    const turns = ['a', 'a', 'a'].map((key, at) =>
      pace.turn(key, response()).then(() => order.push(`${key}${at}`)),
    );
    await pace.turn('b', response());
    expect(order).toEqual(['a0']);
    await Promise.all(turns);
    expect(order).toEqual(['a0', 'a1', 'a2']);
    // Timers may be a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(2 * PAUSE_MS - 5);
  });

  it('keeps no place for a connection that has ended, and no key without requests', async () => {
    const pace = new Pace(PAUSE_MS);
    await pace.turn('a', response());
    const gone = response();
    const waiting = pace.turn('a', gone);
    gone.emit('close');
    await waiting;
    await pace.turn('a', response());
    const isAtOnce = async () => {
      let is = false;
      void pace.turn('a', response()).then(() => {
        is = true;
      });
      await Promise.resolve();
      return is;
    };
    await expect.poll(isAtOnce).toBe(true);
  });
});
