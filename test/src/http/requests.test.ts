/** Counting open requests and subscriptions. */

import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OpenRequests, Subscriptions } from '../../../src/http/requests.ts';

function exchange(headers: Record<string, string> = {}) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  return { request, response: new ServerResponse(request) };
}

describe('OpenRequests', () => {
  it('settle with the last answer, without subscriptions', async () => {
    const requests = new OpenRequests();
    await requests.settled(60_000);
    const [one, two, stream] = [exchange(), exchange(), exchange({ 'mcp-method': 'subscriptions/listen' })];
    for (const { request, response } of [one, two, stream]) requests.add(request, response);
    let settled = false;
    const waiting = requests.settled(60_000).then(() => {
      settled = true;
    });
    one.response.emit('close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    two.response.emit('close');
    await waiting;
  });

  it('settle after the timeout', async () => {
    const requests = new OpenRequests();
    const { request, response } = exchange();
    requests.add(request, response);
    await requests.settled(1);
  });
});

describe('Subscriptions', () => {
  it('are limited per caller, and free again when one ends', () => {
    const subscriptions = new Subscriptions(2);
    const held = [exchange(), exchange()];
    for (const { response } of held) expect(subscriptions.add('alice', response)).toBe(true);
    expect(subscriptions.add('alice', exchange().response)).toBe(false);
    expect(subscriptions.add('bob', exchange().response)).toBe(true);
    const [first] = held;
    expect(first?.response).toBeInstanceOf(EventEmitter);
    first?.response.emit('close');
    expect(subscriptions.add('alice', exchange().response)).toBe(true);
  });
});
