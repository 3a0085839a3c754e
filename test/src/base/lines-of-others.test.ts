/** Foreign text in an answer. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bare, clip, count, counted, named, oneLine, quote } from '../../../src/base/text.ts';

/** Unsafe on a line: control, format (except the joiners), surrogate, line and paragraph separators. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\u202e', '\u{e0041}', '\ud800', ' ', '漢', '"'),
    fc.string({ maxLength: 3 }),
  ),
});

describe('oneLine', () => {
  it('replaces line breaks, escapes and invisible characters by spaces', () => {
    expect(oneLine(' a\r\n\u001b[31mb\u202ec\u{e0041}d\u2028e ')).toBe('a [31mb c d e');
  });

  it('keeps joiners, accents and emoji', () => {
    expect(oneLine('می‌خواهم é 👩‍💻 日本語')).toBe('می‌خواهم é 👩‍💻 日本語');
  });

  it('replaces exactly the unsafe characters and white space, for every character of Unicode', () => {
    const wrong: string[] = [];
    const block = 0x100;
    for (let from = 0; from <= 0x10ffff; from += block) {
      const characters = Array.from({ length: block }, (_, at) => String.fromCodePoint(from + at));
      const becomes = characters.map((character, at) => {
        const isVariation = from + at >= 0xe0100 && from + at <= 0xe01ef;
        return isVariation || UNSAFE.test(character) || /\s/.test(character) ? ' ' : character;
      });
      // Each between two letters, so that none meets another.
      if (oneLine(`a${characters.join('ab')}b`) !== `a${becomes.join('ab')}b`) wrong.push(from.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('makes one safe line of any text, and is idempotent', () => {
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
  it.each([
    ['keeps a text that fits', 'just so', 7, 'just so'],
    // 18 of the 20 units are for words: "Fill and flatten P" ends inside "PDF".
    ['cuts at a word and marks the cut', 'Fill and flatten PDF forms', 20, 'Fill and flatten …'],
    ['cuts a text without spaces at the limit', '漢'.repeat(50), 10, `${'漢'.repeat(8)} …`],
    ['never splits a surrogate pair', `1234567${'😀'.repeat(9)}`, 10, '1234567 …'],
    ['marks a cut inside collapsed white space', `a${' '.repeat(5_000)}b`, 10, 'a …'],
  ])('%s', (_, text, length, clipped) => {
    expect(clip(text, length)).toBe(clipped);
  });

  it('never exceeds the limit', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, length) => {
        expect(clip(text, length).length).toBeLessThanOrEqual(length);
      }),
    );
  });
});

describe('quote', () => {
  it('parses back to the same text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.parse(quote(text))).toBe(text);
        expect(quote(text)).not.toMatch(UNSAFE);
      }),
    );
  });
});

describe('named', () => {
  it.each(['a\n::error::x', '::error::x', ' ::error::x', '##[error]x', 'a\u202eb', '\u001b[31ma'])(
    'quotes %j, which would forge a line or a command of a workflow',
    (name) => expect(named(name)).toMatch(/^"[ -~]*"$/),
  );

  it('keeps other names', () => expect(named('team/näme')).toBe('team/näme'));
});

describe('bare', () => {
  it('keeps a plain id in any script', () => {
    expect(bare('team/näme/日本')).toBe('team/näme/日本');
  });

  it('quotes text that is unsafe on a line', () => {
    expect(bare('a\nb')).toBe('"a\\nb"');
    expect(bare(' a')).toBe('" a"');
    expect(bare('')).toBe('""');
  });
});

describe('numbers', () => {
  it('are grouped the same way on every machine', () => {
    expect(count(24849)).toBe('24,849');
    expect(counted(1, 'skill')).toBe('1 skill');
    expect(counted(1000, 'byte')).toBe('1,000 bytes');
  });
});
