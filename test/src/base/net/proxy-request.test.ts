import { describe, expect, it } from 'vitest';
import { forwardedHeaders, targetOf } from '../../../../src/base/net/proxy-request.ts';

describe('targetOf', () => {
  it('parses absolute http:// addresses', () => {
    expect(targetOf('http://a.org')).toEqual({ authority: 'a.org:80', path: '/' });
    expect(targetOf('HTTP://a.org:443/b?c')).toEqual({ authority: 'a.org:443', path: '/b?c' });
    expect(targetOf('http://a.org?c')).toEqual({ authority: 'a.org:80', path: '/?c' });
  });

  it('rejects all others', () => {
    for (const url of [
      '/',
      '*',
      'a.org:80',
      'https://a.org/',
      'ftp://a.org/',
      'http:///b',
      'http://a.org/#x',
      'http://a.org\\b',
      'x-http://a.org/',
    ])
      expect(targetOf(url), url).toBeNull();
  });
});

describe('forwardedHeaders', () => {
  it('sets the host that was checked, whatever the client sent', () => {
    expect(forwardedHeaders({ host: 'evil.org', accept: 'x' }, 'a.org')).toEqual({
      host: 'a.org',
      accept: 'x',
      connection: 'close',
    });
  });

  it('drops hop-by-hop headers, and keeps the framing of the body', () => {
    const headers = {
      connection: 'x-own, Transfer-Encoding,Content-Length',
      'x-own': '1',
      'proxy-authorization': 'Basic x',
      upgrade: 'h2c',
      te: 'trailers',
      'transfer-encoding': 'chunked',
      'content-length': '5',
    };
    expect(forwardedHeaders(headers, null)).toEqual({
      'transfer-encoding': 'chunked',
      'content-length': '5',
      connection: 'close',
    });
  });

  it('sends no host back with an answer', () => {
    expect(forwardedHeaders({ host: 'inside.example' }, null)).toEqual({ connection: 'close' });
  });
});
