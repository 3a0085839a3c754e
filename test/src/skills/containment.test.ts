import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoded } from '../../../src/base/text.ts';
import { containedPath } from '../../../src/skills/containment.ts';

describe('containedPath', () => {
  it.each([
    ['SKILL.md', 'SKILL.md'],
    ['./references/./a b.md', 'references/a b.md'],
    ['references//a b.md', 'references/a b.md'],
    ['references/a%20b.md', 'references/a%20b.md'],
    ['docs/a b.md', 'docs/a b.md'],
    ['not/there.md', 'not/there.md'],
    ['a..b/c.md', 'a..b/c.md'],
    ['100%.md', '100%.md'],
    ['console.md', 'console.md'],
    ['references/', 'references'],
    ['a../b.md', 'a../b.md'],
    ['..a/b.md', '..a/b.md'],
    ['notes~', 'notes~'],
    ['notes/a:b.md', 'notes/a:b.md'],
    ['1:b.md', '1:b.md'],
    ['a/x://b', 'a/x:/b'],
    ['a b://c', 'a b:/c'],
    ['null/a.md', 'null/a.md'],
    // Five rounds of decoding are checked, so that this is `A`.
    ['%2525252541', '%2525252541'],
  ])('accepts %j as %j', (requested, path) => {
    expect(containedPath(requested)).toEqual({ ok: true, path });
  });

  it.each([
    ['..', '`..`'],
    ['../secret', '`..`'],
    ['references/../../secret', '`..`'],
    ['references/..', '`..`'],
    ['.. /secret', '`..`'],
    ['...', '`..`'],
    ['. /.../.', '`..`'],
    ['/etc/passwd', 'absolute'],
    ['//server/share', 'absolute'],
    ['C:secret', 'drive'],
    ['c:/secret', 'drive'],
    ['..\\secret', 'backslash'],
    ['references\\a b.md', 'backslash'],
    ['\\\\server\\share', 'backslash'],
    ['%2e%2e/secret', '`..`'],
    ['%2E%2E/secret', '`..`'],
    ['..%2fsecret', '`..`'],
    ['%252e%252e%252fsecret', '`..`'],
    ['%252525252541', 'too many times'],
    ['%25252525252525252e', 'too many times'],
    ['..%5csecret', 'backslash'],
    ['%2fetc/passwd', 'absolute'],
    ['SKILL.md\0.png', 'NUL'],
    ['SKILL.md%00.png', 'NUL'],
    ['file:///etc/passwd', 'URL'],
    ['a2+.-://b', 'URL'],
    ['~/secret', '`~`'],
    ['NUL', 'device'],
    ['references/con.md', 'device'],
    ['con/a.md', 'device'],
    ['references/ aux .md', 'device'],
    ['COM1', 'device'],
    ['lpt³:x', 'device'],
    ['', 'empty'],
    [' ', 'empty'],
    ['.', 'the folder itself'],
    ['./', 'the folder itself'],
  ])('refuses %j and says why', (requested, reason) => {
    expect(containedPath(requested)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('never accepts a path that resolves outside, however it is built', () => {
    const piece = fc.constantFrom('..', '.', '/', '\\', '%2e', '%2f', '%5c', '%25', 'a', '%', '\0', ':');
    const paths = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(paths, (requested) => {
        const contained = containedPath(requested);
        if (!contained.ok) return;
        expect(resolve('/skill', contained.path).startsWith('/skill/')).toBe(true);
        expect(contained.path.split('/')).not.toContain('..');
      }),
    );
  });
});

describe('decoded', () => {
  it.each([
    ['references/a%20b.md', 'references/a b.md'],
    ['%E8%8C%B6.md', '茶.md'],
    ['100%.md', '100%.md'],
    ['a%20b%zz', 'a%20b%zz'],
  ])('%s is %s', (uri, text) => {
    expect(decoded(uri)).toBe(text);
  });
});
