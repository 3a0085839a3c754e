import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePatterns, PolicyError } from '../../../../src/gateway/policy/patterns.ts';

const matches = (pattern: string, text: string, options = {}) =>
  compilePatterns([pattern], options)([text]) !== undefined;

describe('compilePatterns', () => {
  it.each([
    ['docs/pdf', 'docs/pdf', true],
    ['docs/pdf', 'docs/pdf-forms', false],
    ['docs/pdf', 'Docs/pdf', false],
    ['pdf', 'docs/pdf', false],
    ['docs/*', 'docs/pdf', true],
    ['docs/*', 'docs/.hidden', true],
    ['docs/*', 'docs/pdf/forms', false],
    ['docs/**', 'docs/pdf/forms', true],
    ['docs/**', 'docs', true],
    ['docs/**', 'documents/pdf', false],
    ['**/pdf', 'pdf', true],
    ['**/pdf', 'docs/more/pdf', true],
    ['*:secret/**', 'team:secret/plan', true],
    ['pdf*', 'pdf-forms', true],
    ['*', 'docs/pdf', true],
    ['**', 'docs/pdf', true],
    // Characters special to a shell match themselves.
    ['app/[id]/*', 'app/[id]/x', true],
    ['app/[id]/*', 'app/i/x', false],
    ['a{b,c}*', 'ab', false],
    ['a(b|c)*', 'ab', false],
    ['a?b*', 'axb', false],
    ['a.b*', 'axb', false],
    // A line break in a folder's name matches like any character.
    ['secret/**', 'secret/a\nb/c', true],
    ['secret/*', 'secret/a\nb', true],
    // A backslash is no slash, on any system.
    ['docs/*', 'docs/a\\b', true],
  ])('%s and %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it('ignores case only on request', () => {
    expect(matches('GPL*', 'gpl-3.0')).toBe(false);
    expect(matches('GPL*', 'gpl-3.0', { ignoreCase: true })).toBe(true);
    expect(matches('mit', 'MIT', { ignoreCase: true })).toBe(true);
    // Another word, although both are written STRASSE in capitals.
    expect(matches('straße', 'STRASSE', { ignoreCase: true })).toBe(false);
  });

  it('returns the first matching pattern of the list', () => {
    expect(compilePatterns(['a/*', 'b', '*'])(['b', 'a/x'])).toBe('a/*');
    expect(compilePatterns(['a/*'])(['b'])).toBeUndefined();
    expect(compilePatterns([])(['b'])).toBeUndefined();
  });

  it('matches a pattern without a star literally', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (pattern, text) => {
        fc.pre(!pattern.includes('*') && !pattern.startsWith('!'));
        expect(matches(pattern, pattern)).toBe(true);
        expect(matches(pattern, text)).toBe(pattern === text);
      }),
    );
  });

  it('lets a star match anything except a slash', () => {
    const part = fc.stringMatching(/^[a-z0-9.()[\]{}!+@?-]{1,6}$/);
    fc.assert(
      fc.property(part, part, part, (before, middle, after) => {
        const pattern = `x${before}*${after}`;
        expect(matches(pattern, `x${before}${middle}${after}`)).toBe(true);
        expect(matches(pattern, `x${before}${middle}/${after}`)).toBe(false);
        expect(matches(pattern, `y${before}${middle}${after}`)).toBe(false);
      }),
    );
  });

  it.each([
    ['!secret/**', 'use deny'],
    ['a**', 'must be alone between slashes'],
    ['**b/c', 'must be alone between slashes'],
    ['a/**b', 'must be alone between slashes'],
  ])('refuses %s, which would not mean what it says', (pattern, advice) => {
    const refusal = { name: 'PolicyError', code: 'POLICY_PATTERN' };
    expect(() => compilePatterns([pattern])).toThrow(expect.objectContaining(refusal));
    expect(() => compilePatterns([pattern])).toThrow(PolicyError);
    expect(() => compilePatterns([pattern])).toThrow(advice);
    expect(() => compilePatterns([pattern])).toThrow(pattern);
  });
});
