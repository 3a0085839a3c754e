/** Which addresses others may send the server to. */

import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, literalOf, publicLookup } from '../../../../src/transports/auth/address.ts';

describe('isPublicAddress', () => {
  it.each([
    '127.0.0.1',
    '127.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    'not an address',
    '',
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('throws for no text', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof isPublicAddress(text) === 'boolean'));
  });
});

describe('literalOf', () => {
  it('is the address that stands in a URL, however it is written', () => {
    expect(literalOf(new URL('http://127.1/'))).toBe('127.0.0.1');
    expect(literalOf(new URL('http://0x7f000001/'))).toBe('127.0.0.1');
    expect(literalOf(new URL('http://[::1]:80/'))).toBe('::1');
    expect(literalOf(new URL('https://issuer.example/'))).toBeNull();
  });
});

describe('publicLookup', () => {
  const answering = (...addresses: LookupAddress[]) =>
    publicLookup((_, __, callback) => callback(null, addresses));
  const looked = (lookup: ReturnType<typeof publicLookup>, all: boolean) =>
    new Promise((resolve) =>
      lookup('issuer.example', { all }, (error, address, family) =>
        resolve(error === null ? [address, family] : error.message),
      ),
    );
  const open = { address: '93.184.216.34', family: 4 };
  const hidden = { address: '10.0.0.1', family: 4 };

  it('passes public addresses on, in either form', async () => {
    expect(await looked(answering(open), false)).toEqual(['93.184.216.34', 4]);
    expect(await looked(answering(open), true)).toEqual([[open], undefined]);
  });

  it('refuses a name of which one address is private, before anything is connected to', async () => {
    expect(await looked(answering(open, hidden), true)).toBe(
      'issuer.example has the private address 10.0.0.1.',
    );
    expect(await looked(answering(hidden), false)).toContain('private address');
  });

  it('passes failures on', async () => {
    const failing = publicLookup((_, __, callback) => callback(new Error('no such name'), []));
    expect(await looked(failing, true)).toBe('no such name');
    expect(await looked(answering(), true)).toBe('No address.');
  });
});
