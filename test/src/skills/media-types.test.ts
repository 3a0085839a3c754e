import { describe, expect, it } from 'vitest';
import { mimeTypeOf } from '../../../src/skills/media-types.ts';

describe('mimeTypeOf', () => {
  it.each([
    ['SKILL.md', 'text/markdown'],
    ['a.mdx', 'text/markdown'],
    ['a.ts', 'text/typescript'],
    ['a.tsx', 'text/typescript'],
    ['a.py', 'text/x-python'],
    ['a.sh', 'application/x-sh'],
    ['a.json', 'application/json'],
    ['a.png', 'image/png'],
    ['a.JPG', 'image/jpeg'],
    ['a.ps1', 'text/plain'],
    ['LICENSE', 'text/plain'],
    ['folder.d/LICENSE', 'text/plain'],
    ['bin/go', 'text/plain'],
    ['png', 'text/plain'],
    ['.png', 'text/plain'],
    ['a.png/LICENSE', 'text/plain'],
    ['.env', 'text/plain'],
    ['a.j2', 'text/plain'],
    ['a.md/b.unheardof', 'application/octet-stream'],
    ['a.unheardof', 'application/octet-stream'],
  ])('maps %s to %s', (path, type) => {
    expect(mimeTypeOf(path)).toBe(type);
  });
});
