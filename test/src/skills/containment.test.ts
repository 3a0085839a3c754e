import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
  ])('accepts %j as %j', (requested, path) => {
    expect(containedPath(requested)).toEqual({ ok: true, path });
  });

  it.each([
    ['..'],
    ['../secret'],
    ['references/../../secret'],
    ['references/..'],
    ['.. /secret'],
    ['...'],
    ['/etc/passwd'],
    ['//server/share'],
    ['C:secret'],
    ['c:/secret'],
    ['..\\secret'],
    ['references\\a b.md'],
    ['\\\\server\\share'],
    ['%2e%2e/secret'],
    ['..%2fsecret'],
    ['%252e%252e%252fsecret'],
    ['%25252525252525252e'],
    ['..%5csecret'],
    ['%2fetc/passwd'],
    ['SKILL.md\0.png'],
    ['SKILL.md%00.png'],
    ['file:///etc/passwd'],
    ['~/secret'],
    ['NUL'],
    ['references/con.md'],
    ['COM1'],
    [''],
    ['.'],
    ['./'],
  ])('refuses %j', (requested) => {
    expect(containedPath(requested)).toEqual({ ok: false, reason: expect.any(String) });
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
