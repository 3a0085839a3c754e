import { describe, expect, it } from 'vitest';
import { isPublicAddress, literalOf } from '../../../../src/base/net/addresses.ts';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001:80b::200e', '::ffff:8.8.8.8'])(
    'treats %s as public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['loopback', '127.0.0.1', '127.8.8.8', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '192.168.1.1'],
    ['shared by a carrier', '100.64.0.1', '100.100.100.200'],
    ['link-local, with the metadata of clouds', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
    ['unique local', 'fc00::1', 'fd00:ec2::254'],
    ['a host’s own service', '168.63.129.16'],
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    ['broadcast and multicast', '255.255.255.255', '224.0.0.1', 'ff02::1'],
    ['reserved or for documents', '192.0.0.192', '192.0.2.1', '198.18.0.1', '240.0.0.1', '2001:db8::1'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:a00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ['IPv4 behind a translator', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1'],
    ['in IPv6 space that nobody has', '4000::1', '5f00::1', 'e000::1'],
    ['no address', '', 'localhost', '127.1.1', '0x7f.0.0.1x', '1.2.3.4.5'],
  ])('does not where it is %s', (_, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe('literalOf', () => {
  it('distinguishes addresses from names, also in brackets', () => {
    expect(['[::1]', '10.0.0.1', 'example.org', ''].map(literalOf)).toEqual(['::1', '10.0.0.1', null, null]);
  });

  it('takes no address with something around its brackets', () => {
    expect(['1[::2]', '[1::]2'].map(literalOf)).toEqual([null, null]);
  });
});
