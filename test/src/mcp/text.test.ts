/** Text by others, fitted into an answer. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bare, clip, count, counted, oneLine, quote } from '../../../src/mcp/text.ts';

/** What must never reach a line: control, format (but the joiners), surrogate, line and paragraph separators. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\u202e', '\u{e0041}', '\ud800', ' ', '漢', '"'),
    fc.string({ maxLength: 3 }),
  ),
});

describe('oneLine', () => {
  it('makes line breaks, escapes and invisible characters spaces', () => {
    expect(oneLine(' a\r\n\u001b[31mb\u202ec\u{e0041}d\u2028e ')).toBe('a [31mb c d e');
  });

  it('leaves joiners, accents and emoji alone', () => {
    expect(oneLine('می‌خواهم é 👩‍💻 日本語')).toBe('می‌خواهم é 👩‍💻 日本語');
  });

  it('replaces what is unsafe and white space, and nothing else, of all characters', () => {
    const wrong: string[] = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      const isVariation = point >= 0xe0100 && point <= 0xe01ef;
      const becomes = isVariation || UNSAFE.test(character) || /\s/.test(character) ? ' ' : character;
      if (oneLine(`a${character}b`) !== `a${becomes}b`) wrong.push(point.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('yields one safe line of anything, and the same line again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = oneLine(text);
        expect(line).not.toMatch(UNSAFE);
        expect(oneLine(line)).toBe(line);
      }),
    );
  });
});

describe('clip', () => {
  it('leaves what fits', () => {
    expect(clip('just so', 7)).toBe('just so');
  });

  it('cuts at a word and marks the cut', () => {
    // 18 of the 20 units are for words: "Fill and flatten P" ends inside "PDF".
    expect(clip('Fill and flatten PDF forms', 20)).toBe('Fill and flatten …');
  });

  it('cuts a text without spaces where the room ends', () => {
    expect(clip('漢'.repeat(50), 10)).toBe(`${'漢'.repeat(8)} …`);
  });

  it('never splits a pair of surrogates', () => {
    expect(clip(`1234567${'😀'.repeat(9)}`, 10)).toBe('1234567 …');
  });

  it('is never longer than asked for', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, length) => {
        expect(clip(text, length).length).toBeLessThanOrEqual(length);
      }),
    );
  });

  it('marks a cut that white space hides', () => {
    expect(clip(`a${' '.repeat(5_000)}b`, 10)).toBe('a …');
  });
});

describe('quote', () => {
  it('reads back as the text it was', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.parse(quote(text))).toBe(text);
        expect(quote(text)).not.toMatch(UNSAFE);
      }),
    );
  });
});

describe('bare', () => {
  it('leaves a plain id alone, whatever its script', () => {
    expect(bare('team/näme/日本')).toBe('team/näme/日本');
  });

  it('quotes what a line cannot hold', () => {
    expect(bare('a\nb')).toBe('"a\\nb"');
    expect(bare(' a')).toBe('" a"');
    expect(bare('')).toBe('""');
  });
});

describe('numbers', () => {
  it('are grouped alike on every machine', () => {
    expect(count(24849)).toBe('24,849');
    expect(counted(1, 'skill')).toBe('1 skill');
    expect(counted(1000, 'byte')).toBe('1,000 bytes');
  });
});
