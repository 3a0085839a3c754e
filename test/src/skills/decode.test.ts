import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, decodeText } from '../../../src/skills/decode.ts';

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

  it('does not mistake a few NUL bytes for UTF-16', () => {
    const bytes = Buffer.from('plain\0text with\0some more');
    expect(decodeText(bytes, 'a.md').text).toBe('plain\0text with\0some more');
    expect(idsOf(bytes)).toEqual(['encoding-nul']);
  });

  it('replaces invalid UTF-8 and reports its position', () => {
    const { text, diagnostics } = decodeText(Buffer.from('one\nt\xfco', 'latin1'), 'a.md');
    expect(text).toBe('one\nt\uFFFDo');
    expect(diagnostics).toMatchObject([{ id: 'encoding-invalid', position: { line: 2, column: 2 } }]);
  });

  it('does not report a replacement character that the author wrote', () => {
    expect(idsOf(Buffer.from('a \uFFFD b'))).toEqual([]);
  });

  it('reports that lone carriage returns do not end lines', () => {
    expect(idsOf(Buffer.from('a\rb\r'))).toEqual(['encoding-cr']);
    expect(idsOf(Buffer.from('a\r\nb\r'))).toEqual([]);
  });
});

describe('countLines', () => {
  it('counts line feeds before an offset', () => {
    expect(countLines('a\nb\r\nc\n')).toBe(3);
    expect(countLines('a\nb\nc', 2)).toBe(1);
    expect(countLines('')).toBe(0);
  });
});
