import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/gateway/gateway.ts';
import { gif, jpeg, LFS_POINTER, png, webp } from '../skills/images.ts';
import { skill, testLibrary } from './test-library.ts';

const PNG = png(2, 2);

const NOTES = '# Types\n\nText\n\n## Boxes\n\nTick them.\n';

const planted = () =>
  testLibrary({
    'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
    'pdf/references/field types.md': NOTES,
    'pdf/assets/form.png': PNG,
    'pdf/assets/form.bin': Uint8Array.from({ length: 100 }, (_, at) => at),
    'pdf/assets/drawing.svg': '<svg/>',
    'pdf/assets/wide.txt': Uint8Array.from(Buffer.from('\ufeffwide', 'utf16le')),
    'pdf/LICENSE': 'Apache',
    'other/SKILL.md': skill('other', 'Another'),
  });
const read = (request: Omit<ReadRequest, 'skill'>) => planted().gateway.read({ skill: 'pdf', ...request });

describe('reading a file of a skill', () => {
  it('returns its text with line numbers', async () => {
    expect(await read({ path: 'references/field types.md' })).toEqual({
      kind: 'text',
      path: 'references/field types.md',
      mimeType: 'text/markdown',
      slice: { text: NOTES.trimEnd(), lines: [1, 7], lineCount: 7, truncated: false },
    });
  });

  it('returns the requested lines, up to the last line', async () => {
    const slice = async (lines: [number, number]) => {
      const result = await read({ path: 'references/field types.md', lines });
      return result.kind === 'text' ? result.slice : null;
    };
    expect(await slice([5, 7])).toMatchObject({ text: '## Boxes\n\nTick them.', lines: [5, 7] });
    expect(await slice([7, 999_999_999])).toMatchObject({ text: 'Tick them.', lines: [7, 7] });
  });

  it.each([[[0, 2]], [[3, 2]], [[8, 9]], [[1.5, 2]], [[Number.NaN, 2]]] as [[number, number]][])(
    'refuses %j as no range of its lines',
    async (lines) => {
      await expect(read({ path: 'references/field types.md', lines })).rejects.toMatchObject({
        code: 'LINES_INVALID',
        data: { lineCount: 7 },
      });
    },
  );

  it('returns the section of a heading', async () => {
    expect(await read({ path: 'references/field types.md', heading: 'boxes' })).toMatchObject({
      slice: { lines: [5, 7] },
    });
    await expect(read({ path: 'references/field types.md', heading: 'None' })).rejects.toMatchObject({
      code: 'SECTION_UNKNOWN',
      data: { headings: ['Types', 'Types › Boxes'] },
    });
  });

  it('accepts the file’s percent-encoded URI as path', async () => {
    const path = 'skill://library/pdf/references/field%20types.md';
    expect(await read({ path })).toMatchObject({ path: 'references/field types.md' });
    await expect(read({ path: 'skill://library/pdf/%2e%2e/other/SKILL.md' })).rejects.toMatchObject({
      code: 'PATH_REFUSED',
    });
    await expect(read({ path: 'skill://library/other/SKILL.md' })).rejects.toMatchObject({
      code: 'PATH_REFUSED',
    });
  });

  it('returns images as bytes, SVG as text, and UTF-16 as text', async () => {
    expect(await read({ path: 'assets/form.png' })).toEqual({
      kind: 'image',
      path: 'assets/form.png',
      mimeType: 'image/png',
      base64: Buffer.from(PNG).toString('base64'),
    });
    expect(await read({ path: 'assets/drawing.svg' })).toMatchObject({ kind: 'text' });
    expect(await read({ path: 'assets/wide.txt' })).toMatchObject({ slice: { text: 'wide' } });
    expect(await read({ path: 'LICENSE' })).toMatchObject({ mimeType: 'text/plain' });
  });

  it('refuses other binaries and reports their type and size', async () => {
    await expect(read({ path: 'assets/form.bin' })).rejects.toMatchObject({
      code: 'FILE_BINARY',
      data: { mimeType: 'application/octet-stream', size: 100 },
    });
  });

  it('reads no file that is not listed: hidden ones, ignored folders, nested skills, links to those', async () => {
    const { gateway } = testLibrary({
      'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
      'pdf/.env': 'KEY=1',
      'pdf/.git/config': 'url = https://token@host',
      'pdf/node_modules/x/readme.md': 'x',
      'pdf/inner/SKILL.md': skill('inner', 'Nested'),
      'pdf/own.md': 'own',
      'pdf/alias.md': { to: 'own.md' },
      'pdf/env.md': { to: '.env' },
      'pdf/nested.md': { to: 'inner/SKILL.md' },
      'pdf/git': { to: '.git' },
    });
    const paths = ['.env', '.git/config', 'node_modules/x/readme.md', 'inner/SKILL.md'];
    for (const path of [...paths, 'env.md', 'nested.md', 'git/config', 'none.md'])
      await expect(gateway.read({ skill: 'pdf', path })).rejects.toMatchObject({
        code: 'PATH_UNKNOWN',
        data: { path, nearest: expect.not.arrayContaining([path]) },
      });
    expect(await gateway.read({ skill: 'pdf', path: 'alias.md' })).toMatchObject({ slice: { text: 'own' } });
    const { files } = await gateway.load({ skill: 'pdf' });
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md', 'alias.md', 'own.md']);
  });

  it.each([
    ['references/field%20types.md', [1, 7]],
    ['./references/field types.md', [1, 7]],
    ['references\\field types.md', [1, 7]],
    ['pdf/references/field types.md', [1, 7]],
    ['references/field types.md:3-5', [3, 5]],
    ['references/field types.md:7', [7, 7]],
    ['pdf/references/field%20types.md#L5-L7', [5, 7]],
    ['references/field types.md#boxes', [5, 7]],
    ['skill://library/pdf/references/field%20types.md#boxes', [5, 7]],
  ] as const)('reads %j, as skills and our own answers write it', async (path, lines) => {
    expect(await read({ path })).toMatchObject({ path: 'references/field types.md', slice: { lines } });
  });

  it('prefers a file that is called like a path with lines, and lines that are given', async () => {
    const { gateway } = testLibrary({
      'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
      'pdf/a.md': '1\n2\n3\n',
      'pdf/a.md:2': 'other',
    });
    const lines = async (request: Omit<ReadRequest, 'skill'>) => gateway.read({ skill: 'pdf', ...request });
    expect(await lines({ path: 'a.md:2' })).toMatchObject({ slice: { text: 'other' } });
    expect(await lines({ path: 'a.md:1-3', lines: [3, 3] })).toMatchObject({ slice: { text: '3' } });
  });

  it('finds a file and a heading however their characters are composed', async () => {
    const composed = 'l\u00e4nge';
    const decomposed = composed.normalize('NFD');
    const { gateway } = testLibrary({
      'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
      [`pdf/${decomposed}.md`]: `# A\n## Z\u00fcge\n`,
    });
    for (const path of [
      `${composed}.md`,
      `${decomposed}.md`,
      `${composed}.md#${'z\u00fcge'.normalize('NFD')}`,
    ])
      expect(await gateway.read({ skill: 'pdf', path })).toMatchObject({ path: `${decomposed}.md` });
    const heading = 'Z\u00fcge'.normalize('NFD');
    const section = await gateway.read({ skill: 'pdf', path: `${composed}.md`, heading });
    expect(section).toMatchObject({ slice: { lines: [2, 2] } });
  });

  it.each([
    ['photo.png', jpeg(3, 2), 'image/jpeg'],
    ['photo.jpg', webp(3, 2), 'image/webp'],
    ['data.bin', gif(3, 2), 'image/gif'],
  ])('sends %s with the type of its bytes', async (name, bytes, mimeType) => {
    const { gateway } = testLibrary({
      'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
      [`pdf/${name}`]: bytes,
    });
    expect(await gateway.read({ skill: 'pdf', path: name })).toMatchObject({ kind: 'image', mimeType });
  });

  it.each([
    ['cut.png', png(2, 2).subarray(0, -12), 'cut off or damaged'],
    ['empty.png', '', 'is empty'],
    ['page.jpg', '<!DOCTYPE html><p>404', 'is HTML'],
    ['pointer.png', LFS_POINTER, 'is a Git LFS pointer'],
    ['pointer.md', LFS_POINTER, 'is a Git LFS pointer'],
    ['scan.bmp', 'BM', 'is a BMP image'],
    ['wide.png', png(8_001, 1), '8001 × 1 pixels'],
  ])('does not send %s and says what it is', async (name, bytes, what) => {
    const { gateway } = testLibrary({
      'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
      [`pdf/${name}`]: bytes,
    });
    await expect(gateway.read({ skill: 'pdf', path: name })).rejects.toMatchObject({
      code: 'FILE_BINARY',
      message: expect.stringContaining(what),
    });
  });

  it('reads any of 600 files', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`pdf/references/c${at}.md`, '# C']),
    );
    const { gateway } = testLibrary({ 'pdf/SKILL.md': skill('pdf', 'Fill in forms'), ...many });
    expect(await gateway.read({ skill: 'pdf', path: 'references/c599.md' })).toMatchObject({ kind: 'text' });
    expect((await gateway.load({ skill: 'pdf' })).files).toHaveLength(601);
  });

  it('suggests the nearest files for an unknown path, a folder or a bare name', async () => {
    for (const path of ['references/field-types.md', 'references', 'field types.md'])
      await expect(read({ path })).rejects.toMatchObject({
        code: 'PATH_UNKNOWN',
        data: { nearest: expect.arrayContaining(['references/field types.md']) },
      });
  });

  it('refuses a file that is too large, a pipe, and a link that leads out of the folder', async () => {
    const { root, gateway } = planted();
    writeFileSync(join(root, 'pdf/assets/form.png'), png(2, 2, 4 * 2 ** 20));
    truncateSync(join(root, 'pdf/LICENSE'), 16 * 2 ** 20 + 1);
    await expect(gateway.read({ skill: 'pdf', path: 'LICENSE' })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      data: { size: 16_777_217, limit: 16_777_216 },
    });
    await expect(gateway.read({ skill: 'pdf', path: 'assets/form.png' })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      data: { limit: 4_194_304 },
    });
    symlinkSync(join(root, 'other/SKILL.md'), join(root, 'pdf/link.md'));
    await expect(gateway.read({ skill: 'pdf', path: 'link.md' })).rejects.toMatchObject({
      code: 'PATH_UNKNOWN',
    });
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [join(root, 'pdf/pipe.md')]);
    await expect(gateway.read({ skill: 'pdf', path: 'pipe.md' })).rejects.toMatchObject({
      code: 'PATH_UNKNOWN',
    });
  });
});
