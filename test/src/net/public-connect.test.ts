import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { publicConnect } from '../../../src/net/public-connect.ts';

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
    expect(await failureOf(address, leadsTo(address))).toMatchObject({ code: 'NET_REFUSED' });
  });
});
