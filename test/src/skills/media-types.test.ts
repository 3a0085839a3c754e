import { describe, expect, it } from 'vitest';
import { guessMimeType, mediaTypeFrom } from '../../../src/skills/media-types.ts';
import { jpeg, LFS_POINTER } from './images.ts';

describe('guessMimeType', () => {
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
    expect(guessMimeType(path)).toBe(type);
  });
});

it.each([
  ['a.png', jpeg(2, 2), 'image/jpeg'],
  ['a.dat', jpeg(2, 2), 'image/jpeg'],
  ['a.png', Buffer.from(LFS_POINTER), 'text/plain'],
  ['a.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), 'application/octet-stream'],
  ['a.svg', Buffer.from('<svg/>'), 'image/svg+xml'],
  ['a.md', Buffer.from('# A'), 'text/markdown'],
])('takes the type of %s from its bytes where they contradict its name', (path, bytes, type) => {
  expect(mediaTypeFrom(bytes, path)).toBe(type);
});
