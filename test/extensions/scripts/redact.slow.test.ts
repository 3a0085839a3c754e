import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleaned, plain, redactor } from '../../../extensions/scripts/redact.ts';

const redact = redactor(['granted-secret', 'short']);

describe('redactor', () => {
  it.each([
    ['AKIAABCDEFGHIJKLMNOP'],
    [`ghp_${'a'.repeat(36)}`],
    [`github_pat_${'a'.repeat(30)}`],
    [`glpat-${'a'.repeat(20)}`],
    ['xoxb-123456789012'],
    [`sk-ant-${'a'.repeat(30)}`],
    [`AIza${'a'.repeat(35)}`],
    [`npm_${'a'.repeat(36)}`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nabc\ndef\n-----END OPENSSH PRIVATE KEY-----'],
    ['-----BEGIN RSA PRIVATE KEY-----\nnever ends'],
    ['granted-secret'],
  ])('hides %j', (secret) => {
    expect(redact(`before ${secret}`)).toBe('before [redacted]');
  });

  it('redacts only the secret part of headers and URLs', () => {
    expect(redact('Authorization: Bearer abcdefgh123')).toBe('Authorization: Bearer [redacted]');
    expect(redact('postgres://user:hunter22@host/db')).toBe('postgres://[redacted]@host/db');
  });

  it('leaves other text unchanged', () => {
    const text = 'short words, a sha256 e3b0c44298fc1c149afbf4c8996fb924, sk-small, http://host:80/a@b';
    expect(redact(text)).toBe(text);
  });
});

describe('plain', () => {
  it('removes colours, titles, bells, and characters that hide or reverse text', () => {
    expect(plain('\u001b]0;t\u0007\u001b[1mbold\u001b[0m\u0008 \u202eevil\u2066 a\u0000b\u{e0041}')).toBe(
      'bold evil ab',
    );
  });

  it('keeps lines, tabs, and joiners', () => {
    expect(plain('a\r\nb\rc\td\u200de')).toBe('a\nb\nc\td\u200de');
  });

  it('leaves no control character of any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plain(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});

describe('cleaned', () => {
  it('cleans every string of a value and keeps the rest', () => {
    expect(cleaned({ a: ['\u001b[1mx', 1, null, true], 'k\u0007': { b: 'granted-secret' } }, redact)).toEqual(
      { a: ['x', 1, null, true], k: { b: '[redacted]' } },
    );
  });

  it('keeps member names that are special to JavaScript', () => {
    const value = cleaned(JSON.parse('{"__proto__":{"x":1}}'), redact);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
