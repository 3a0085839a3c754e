import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containedPath } from '../../../src/skills/containment.ts';

let place = '';
let folder = '';

beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'skillgate-')));
  folder = join(place, 'skill');
  mkdirSync(join(folder, 'references'), { recursive: true });
  mkdirSync(join(place, 'skill-twin'));
  writeFileSync(join(folder, 'references', 'a b.md'), 'text');
  writeFileSync(join(place, 'secret'), 'secret');
  writeFileSync(join(place, 'skill-twin', 'secret'), 'secret');
  symlinkSync(join(place, 'secret'), join(folder, 'leak'));
  symlinkSync('..', join(folder, 'up'));
  symlinkSync(join(place, 'skill-twin'), join(folder, 'twin'));
  symlinkSync('references', join(folder, 'docs'));
  symlinkSync(join(place, 'not-yet'), join(folder, 'dangling'));
  symlinkSync(folder, join(place, 'linked'));
});

afterAll(() => rmSync(place, { recursive: true }));

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
  ])('accepts %j as %j', async (requested, path) => {
    expect(await containedPath(folder, requested)).toEqual({ ok: true, path, absolute: join(folder, path) });
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
    ['leak'],
    ['up/secret'],
    ['up/skill-twin/secret'],
    ['twin/secret'],
    ['twin/not-there'],
    ['dangling'],
  ])('refuses %j', async (requested) => {
    expect(await containedPath(folder, requested)).toEqual({ ok: false, reason: expect.any(String) });
  });

  it('works for a skill folder reached through a link', async () => {
    const linked = join(place, 'linked');
    expect(await containedPath(linked, 'references/a b.md')).toMatchObject({ ok: true });
    expect(await containedPath(linked, 'leak')).toMatchObject({ ok: false });
  });

  it('never accepts a path that resolves outside, however it is built', async () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '%2e',
      '%2f',
      '%5c',
      '%25',
      'a',
      'up',
      'twin',
      'docs',
      'leak',
      '%',
      '\0',
      ':',
    );
    const paths = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(paths, async (requested) => {
        const contained = await containedPath(folder, requested);
        if (!contained.ok) return;
        expect(contained.absolute.startsWith(`${folder}/`)).toBe(true);
        expect(contained.path.split('/')).not.toContain('..');
        expect(contained.path).not.toMatch(/^(?:up|twin|leak)(?:\/|$)/);
      }),
    );
  });
});
