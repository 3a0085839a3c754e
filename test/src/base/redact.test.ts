/** What may be logged of arguments. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loggable, MASK } from '../../../src/base/redaction/redact.ts';

describe('loggable', () => {
  it('keeps the working directory, which is no password', () => {
    const text = 'PWD=/srv/out OLDPWD=/skill pwd=~/x';
    expect(loggable({ text })).toEqual({ text });
    expect(loggable({ text: 'pwd=hunter2' })).toEqual({ text: `pwd=${MASK}` });
  });

  it('keeps ordinary arguments', () => {
    const request = { query: 'slow query', limit: 5, explain: true, cursor: null, filter: { tags: ['sql'] } };
    expect(loggable(request)).toEqual(request);
    expect(loggable({ maxTokens: 4_000, tokens: 3, author: 'x' })).toEqual({
      maxTokens: 4_000,
      tokens: 3,
      author: 'x',
    });
  });

  it.each([
    'authorization',
    'Authorization',
    'password',
    'dbPassword',
    'passwd',
    'token',
    'accessToken',
    'access_token',
    'api_key',
    'apiKey',
    'x-api-key',
    'client_secret',
    'privateKey',
    'cookie',
    'set-cookie',
    'credentials',
    'passphrase',
    'pass',
    'db_pass',
    'auth',
    'otp',
    'tokens',
    'api_keys',
  ])('masks a member called %s at any depth', (name) => {
    expect(loggable({ [name]: 'x', deep: { list: [{ [name]: { a: 1 } }] } })).toEqual({
      [name]: MASK,
      deep: { list: [{ [name]: MASK }] },
    });
  });

  it.each([
    ['one of our tokens', `sgt_${'A'.repeat(43)}`],
    ['a bearer header', 'Bearer abcdefghijklmnop'],
    ['a JWT', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln'],
    ['a token of a forge', `ghp_${'a1'.repeat(18)}`],
    ['a key of an API', `sk-${'a1'.repeat(18)}`],
    ['a key of a cloud', 'AKIAIOSFODNN7EXAMPLE'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
  ])('masks %s inside a text', (_, secret) => {
    const logged = JSON.stringify(loggable({ query: `why does ${secret} fail` }));
    expect(logged).toContain(MASK);
    expect(logged).not.toContain(secret.slice(0, 16));
  });

  it('masks members of JSON that is inside of a text', () => {
    const text = JSON.stringify({ user: 'me', pass: 'hunter2', list: [{ tokens: ['abc'] }] });
    expect(loggable({ arguments: text })).toEqual({
      arguments: `{"user":"me","pass":"${MASK}","list":[{"tokens":"${MASK}"}]}`,
    });
  });

  it('masks the user of a URL, and keeps the rest', () => {
    expect(loggable('clone https://me:hunter2@git.example/x')).toBe(`clone https://${MASK}@git.example/x`);
  });

  it('cuts long, wide and deep values', () => {
    expect(loggable('x'.repeat(10_000))).toBe(`${'x'.repeat(500)}…`);
    expect(loggable(Array(40).fill(1))).toEqual([...Array(30).fill(1), '… 10 more']);
    expect(loggable({ a: { b: { c: { d: { e: {} } } } } })).toEqual({ a: { b: { c: { d: { e: '…' } } } } });
  });

  it('leaves out what is not data, such as a signal', () => {
    expect(JSON.stringify(loggable({ query: 'x', signal: AbortSignal.abort() }))).toBe('{"query":"x"}');
  });

  it('turns any value into small JSON', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const text = JSON.stringify(loggable(value)) ?? '';
        expect(text.length).toBeLessThan(1_000_000);
      }),
      { numRuns: 300 },
    );
  });
});
