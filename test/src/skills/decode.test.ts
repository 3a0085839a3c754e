import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/skills/decode.ts';
import { problemsOf } from './fixtures.ts';

const idsOf = (bytes: Uint8Array) => decodeText(bytes, 'a.md').diagnostics.map(({ id }) => id);

describe('decodeText', () => {
  it('returns valid UTF-8 unchanged, except for a byte-order mark', () => {
    const texts = fc
      .string({ unit: 'grapheme' })
      .filter((text) => !text.includes('\0') && !text.startsWith('\uFEFF'));
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeText(new TextEncoder().encode(text), 'a.md').text).toBe(text);
        expect(decodeText(new TextEncoder().encode(`\uFEFF${text}`), 'a.md').text).toBe(text);
      }),
    );
  });

  it('reads UTF-16 of both byte orders, marked or not', () => {
    const text = 'Tea – 茶\n';
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const bytes of [
      little,
      big,
      Buffer.from([0xff, 0xfe, ...little]),
      Buffer.from([0xfe, 0xff, ...big]),
    ]) {
      expect(decodeText(bytes, 'a.md').text).toBe(text);
      expect(idsOf(bytes)).toEqual(['encoding-utf16']);
    }
  });

  it('takes marked UTF-16 for what it says, even without Latin letters', () => {
    const little = Buffer.from('茶'.repeat(20), 'utf16le');
    const big = Buffer.from(little).swap16();
    expect(decodeText(Buffer.from([0xff, 0xfe, ...little]), 'a.md').text).toBe('茶'.repeat(20));
    expect(decodeText(Buffer.from([0xfe, 0xff, ...big]), 'a.md').text).toBe('茶'.repeat(20));
  });

  it.each([
    ['four Latin letters', 'teas', true],
    ['fewer', 'tea', false],
    ['more than four tenths of Latin letters', 'green茶茶茶茶茶', true],
    ['four tenths of Latin letters', 'teas茶茶茶茶茶茶', false],
    // Two of eight Latin letters are NUL itself, which is a quarter; one of eight is less.
    ['many NUL characters', 'leaves\0\0茶茶', false],
    ['few NUL characters', 'leaflet\0茶茶', true],
    // Only the first 1,024 bytes count: 512 letters.
    ['Latin letters first', 'x'.repeat(512) + '茶'.repeat(3_000), true],
    ['Latin letters far below', '茶'.repeat(512) + 'x'.repeat(3_000), false],
  ])('tells UTF-16 of either byte order without a mark by its %s: %j', (_, text, is) => {
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const bytes of [little, big]) {
      expect(idsOf(bytes).includes('encoding-utf16')).toBe(is);
      // Half a character at the end changes nothing.
      for (const half of ['x', '\0'])
        expect(idsOf(Buffer.concat([bytes, Buffer.from(half)])).includes('encoding-utf16')).toBe(is);
    }
  });

  it.each([
    ['half a mark of UTF-16', [0xff, 0x41]],
    ['the other half', [0x41, 0xfe]],
    ['half a mark of the other byte order', [0xfe, 0x41]],
    ['the other half of that', [0x41, 0xff]],
    ['a mark of UTF-8 without its first byte', [0x41, 0xbb, 0xbf]],
    ['without its second', [0xef, 0x41, 0xbf]],
    ['without its third', [0xef, 0xbb, 0x41]],
  ])('does not take %s for a mark', (_, start) => {
    expect(idsOf(Uint8Array.from([...start, 0x0a, 0x41]))).toEqual(['encoding-invalid']);
  });

  it.each([
    ['a mark', '\uFEFFtea', 'encoding-bom', '1:1', 'without a byte-order mark'],
    ['UTF-16', Buffer.from('some tea', 'utf16le'), 'encoding-utf16', '1:1', 'as UTF-8'],
    ['a bad byte', Buffer.from('a\nt\xfca', 'latin1'), 'encoding-invalid', '2:2', 'as UTF-8'],
    ['a NUL byte', 'tea\n\nleaves\0', 'encoding-nul', '3:7', 'Remove'],
    ['a NUL byte at the beginning', '\0\ntea leaves', 'encoding-nul', '1:1', 'Remove'],
    ['a NUL byte at the beginning of a line', 'tea\n\0\nleaves', 'encoding-nul', '2:1', 'Remove'],
    ['lone carriage returns', 'a\rb', 'encoding-cr', '1:1', 'line feed'],
  ])('says where %s is and what to do', (_, file, id, place, fix) => {
    const { diagnostics } = decodeText(Buffer.from(file), 'docs/a.md');
    expect(problemsOf({ diagnostics })).toEqual([`${id} ${place}`]);
    expect(diagnostics[0]).toMatchObject({
      path: 'docs/a.md',
      message: expect.stringMatching(/^[A-Z].*\.$/),
      fix: expect.stringContaining(fix),
    });
  });

  it('names the byte order', () => {
    const little = Buffer.from('some tea', 'utf16le');
    expect(decodeText(little, 'a.md').diagnostics[0]?.message).toContain('UTF-16LE');
    expect(decodeText(Buffer.from(little).swap16(), 'a.md').diagnostics[0]?.message).toContain('UTF-16BE');
  });

  it('does not report a replacement character that the author wrote', () => {
    expect(idsOf(Buffer.from('a \uFFFD b'))).toEqual([]);
  });

  it('reports that lone carriage returns do not end lines', () => {
    expect(idsOf(Buffer.from('a\rb\r'))).toEqual(['encoding-cr']);
    expect(idsOf(Buffer.from('a\r\nb\r'))).toEqual([]);
  });
});

describe('text that is not UTF-8', () => {
  it.each([
    ['Latin-1', Buffer.from('Größe prüfen', 'latin1'), 'Größe prüfen'],
    ['Windows-1252', Buffer.from([0x93, 0x54, 0xfc, 0x72, 0x94]), '“Tür”'],
    [
      'GB18030',
      Buffer.from('d6c6b6a8bfcdbba7cdecc1f4bcc6bbaea1a3'.repeat(3), 'hex'),
      '制定客户挽留计划。'.repeat(3),
    ],
    ['UTF-8 with one odd byte', Buffer.concat([Buffer.from('Größe – '), Buffer.from([0xfc])]), 'Größe – ü'],
    ['UTF-8 that is cut', Buffer.from('Größe'.repeat(3)).subarray(0, -2), 'GrößeGrößeGröÃ'],
  ])('is read as %s', (_, bytes, text) => {
    expect(decodeText(bytes, 'a.md').text).toBe(text);
    expect(idsOf(bytes)).toContain('encoding-invalid');
  });

  it('never has U+FFFD, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(decodeText(bytes, 'a.md').text).not.toMatch(/(?<!^\ufffe|^\ufeff)\ufffd/);
      }),
    );
  });
});

it.each([
  ['GrÃ¶ÃŸe prÃ¼fen', 'windows-1252', '"Ã¶" was "ö"'],
  ['鍩轰簬瀹㈡埛', 'gb18030', '基于客户'],
  ['蝨ｨ蠎ｫ繧呈焚縺医', 'shift_jis', '在庫を数え'],
  ['Gr\ufffd\ufffde', 'lost', 'U+FFFD'],
])('reports %j as text that was decoded wrongly and saved', (text, _, message) => {
  expect(decodeText(Buffer.from(text), 'a.md').diagnostics).toMatchObject([
    { id: 'encoding-garbled', message: expect.stringContaining(message) },
  ]);
});

it.each([
  '10 Å² and 20 Å²',
  'Größe – naïve café',
  '制定客户挽留计划。',
  '在庫を数える。',
  'The sign \ufffd alone',
])('takes %j for what it is', (text) => {
  expect(decodeText(Buffer.from(text), 'a.md').diagnostics).toEqual([]);
});
