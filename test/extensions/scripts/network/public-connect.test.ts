import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { publicConnect } from '../../../../extensions/scripts/network/public-connect.ts';

const leadsTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_, __, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const failureOf = (host: string, lookup: LookupFunction) =>
  new Promise<unknown>((resolve, reject) => {
    publicConnect(lookup)(host, 80)
      .on('error', resolve)
      .on('connect', () => reject(new Error('It connected.')));
  });

describe('publicConnect', () => {
  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['fd00:ec2::254'],
    ['::ffff:127.0.0.1'],
    ['168.63.129.16'],
  ])('refuses a name that leads to %s, and the address itself', async (address) => {
    expect(await failureOf('innocent.example.org', leadsTo(address))).toMatchObject({ code: 'NET_REFUSED' });
    expect(await failureOf(address, leadsTo(address))).toMatchObject({
      code: 'NET_REFUSED',
      message: expect.stringContaining(address),
    });
  });

  /** A name server that never answers: the socket is connecting for ever. */
  const never: LookupFunction = () => {};

  it('gives up on a host that does not answer', async () => {
    const failure = new Promise((resolve) =>
      publicConnect(never, 20)('slow.example', 443).on('error', resolve),
    );
    expect(await failure).toMatchObject({
      code: 'NET_UNREACHABLE',
      message: expect.stringContaining('slow.example'),
    });
  });

  it('bounds the time to connect only: later silence is for the user of the socket to judge', async () => {
    const socket = publicConnect(never, 50)('slow.example', 443);
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    // No test may connect to a public address, so the event stands for the connection.
    socket.emit('connect');
    await delay(200);
    expect(socket.destroyed).toBe(false);
    await new Promise((resolve) => socket.setTimeout(20, () => resolve(null)));
    expect([socket.destroyed, errors]).toEqual([false, []]);
    socket.destroy();
  });
});
