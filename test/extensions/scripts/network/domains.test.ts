import { describe, expect, it } from 'vitest';
import { allowsHost, commonDomains, hostName } from '../../../../extensions/scripts/network/domains.ts';
import { DOMAIN_PATTERN } from '../../../../src/app/config/sections/scripts.ts';

describe('hostName', () => {
  it('normalises a name', () => {
    expect(hostName('API.Example.ORG.')).toBe('api.example.org');
    expect(hostName('xn--bcher-kva.example')).toBe('xn--bcher-kva.example');
  });

  it.each([
    ['addresses', '127.0.0.1', '169.254.169.254', '[::1]', '::1', '2001:db8::1'],
    [
      'addresses as resolvers take them',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '1.2.3.0x4',
    ],
    ['names of a machine or of none', 'localhost', 'example', '', '.', '..', 'a..org', '.example.org'],
    ['two trailing dots', 'example.org..'],
    [
      'tricks',
      'user@example.org',
      'example.org:80',
      'example.org/',
      'exa mple.org',
      'example.org\0',
      'ex%61mple.org',
    ],
    ['letters of other scripts', 'еxample.org', 'example。org', 'ﬀ.org'],
    ['what is too long', `${'a'.repeat(64)}.org`, `${'a.'.repeat(127)}org`],
  ])('takes no %s', (_, ...texts) => {
    for (const text of texts) expect(hostName(text), text).toBeNull();
  });
});

describe('allowsHost', () => {
  it('allows a plain name only for itself, and a star for all names below', () => {
    const list = ['example.org', '*.example.net'];
    for (const host of ['example.org', 'a.example.net', 'a.b.example.net'])
      expect(allowsHost(list, host), host).toBe(true);
    for (const host of [
      'a.example.org',
      'example.net',
      'badexample.net',
      'example.org.evil.com',
      'evil-example.org',
    ])
      expect(allowsHost(list, host), host).toBe(false);
  });

  it('ignores a pattern that is too broad', () => {
    for (const pattern of [
      '*',
      '*.*',
      '*.org',
      'example.*',
      'a*.example.org',
      '',
      'https://example.org',
      '10.0.0.1',
    ]) {
      expect(DOMAIN_PATTERN.test(pattern), pattern).toBe(false);
      expect(allowsHost([pattern], 'a.example.org'), pattern).toBe(false);
    }
  });
});

describe('commonDomains', () => {
  it('gives the narrower of two overlapping patterns', () => {
    expect(commonDomains(['*.example.org', 'one.net'], ['api.example.org', 'ONE.net', 'two.net'])).toEqual([
      'api.example.org',
      'one.net',
    ]);
    expect(commonDomains(['api.example.org'], ['*.example.org'])).toEqual(['api.example.org']);
    expect(commonDomains(['*.example.org'], ['*.a.example.org'])).toEqual(['*.a.example.org']);
  });

  it('sorts, and names each pattern once', () => {
    const granted = ['c.org', '*.a.org', 'b.org', 'x.a.org'];
    expect(commonDomains(granted, ['x.a.org', 'c.org', 'b.org'])).toEqual(['b.org', 'c.org', 'x.a.org']);
  });

  it('gives nothing if one list is empty or has other names', () => {
    expect(commonDomains(['example.org'], [])).toEqual([]);
    expect(commonDomains([], ['example.org'])).toEqual([]);
    expect(commonDomains(['*.example.org'], ['example.org', 'evil.com', '*'])).toEqual([]);
  });
});
