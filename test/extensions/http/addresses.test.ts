/** Where requests come from. */

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressSet, clientAddress, plain, toNetwork } from '../../../extensions/http/addresses.ts';

function requestOf(remoteAddress: string, forwarded?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
  return request;
}

describe('addressSet', () => {
  it('holds addresses and networks of both families', () => {
    const has = addressSet(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32', '::1']);
    expect(['192.0.2.1', '10.255.0.1', '2001:db8:1::1', '::1'].map(has)).toEqual(Array(4).fill(true));
    expect(['192.0.2.2', '11.0.0.1', '2001:db9::1', '', 'localhost'].map(has)).toEqual(Array(5).fill(false));
  });
});

describe('clientAddress', () => {
  const of = clientAddress(addressSet(['10.0.0.0/8']));

  it.each([
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['192.0.2.1', '203.0.113.1', '192.0.2.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['::ffff:10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['10.0.0.1', '::ffff:203.0.113.1', '203.0.113.1'],
    // The client wrote the first; the proxies added the others.
    ['10.0.0.1', '127.0.0.1, 203.0.113.1', '203.0.113.1'],
    ['10.0.0.1', '203.0.113.1, 10.0.0.2', '203.0.113.1'],
    ['10.0.0.1', '203.0.113.1, junk', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.3', '10.0.0.3'],
  ])('of %s with %s is %s', (remote, forwarded, expected) => {
    expect(of(requestOf(remote, forwarded))).toBe(expected);
  });

  it('is the connection’s for whatever a client writes, without a trusted proxy', () => {
    fc.assert(
      fc.property(fc.string(), (forwarded) => {
        expect(of(requestOf('192.0.2.1', forwarded))).toBe('192.0.2.1');
      }),
    );
  });
});

describe('toNetwork', () => {
  it('is the address of IPv4, and the first 64 bits of IPv6', () => {
    expect(toNetwork('192.0.2.1')).toBe('192.0.2.1');
    expect(toNetwork('2001:db8::1')).toBe(toNetwork('2001:0db8:0:0:ffff::2'));
    expect(toNetwork('2001:db8::1')).not.toBe(toNetwork('2001:db8:0:1::1'));
    expect(toNetwork(plain('::ffff:192.0.2.1'))).toBe('192.0.2.1');
    expect(toNetwork('')).toBe('');
  });
});
