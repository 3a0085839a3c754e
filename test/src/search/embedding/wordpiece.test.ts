import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ASCII,
  DROPPED,
  GAP,
  PUNCTUATION,
  plainCharacter,
  WordPiece,
} from '../../../../src/search/embedding/wordpiece.ts';
import { examples } from '../../../thorough.ts';
import { tinyTokenizer } from './tiny-model.ts';

const VOCABULARY = {
  '[PAD]': 0,
  '[UNK]': 1,
  un: 2,
  '##aff': 3,
  '##able': 4,
  affable: 5,
  '##a': 6,
  a: 7,
  ',': 8,
  '"': 9,
  '\\': 10,
  é: 11,
  中: 12,
  '##文': 13,
  文: 14,
  c: 15,
  '##c': 16,
  '[': 17,
  ']': 18,
  unk: 19,
  σ: 20,
  '##σ': 21,
  '##': 22,
  𝒳: 23,
  constructor: 24,
};
const parse = (json: string) => WordPiece.parse(Buffer.from(json));
const tokenizer = parse(tinyTokenizer(VOCABULARY));

function ids(text: string, limit = 1000, wordPiece = tokenizer): number[] {
  const buffer = new Uint32Array(limit);
  return [...buffer.subarray(0, wordPiece.encode(text, buffer))];
}

describe('WordPiece.encode', () => {
  it('takes the longest piece from the left, then the longest continuation', () => {
    expect(ids('unaffable affable')).toEqual([2, 3, 4, 5]);
  });

  it('makes a whole word unknown if any rest of it is', () => {
    expect(ids('unaffy a')).toEqual([1, 7]);
  });

  it('splits at spaces and around punctuation', () => {
    expect(ids('a,a  "a"\n\\')).toEqual([7, 8, 7, 9, 7, 9, 10]);
  });

  it('lowers, strips accents and drops control characters within a word', () => {
    expect(ids('UN\u0000A\u0301FF\u200bABLE')).toEqual([2, 3, 4]);
  });

  it('lowers sigma the same way at the end of a word', () => {
    expect(ids('ΣΣ')).toEqual([20, 21]);
  });

  it('treats each ideograph as a word', () => {
    expect(ids('中文a')).toEqual([12, 14, 7]);
  });

  it('does not match the continuation mark or a piece’s notation in a text', () => {
    expect(ids('##a')).toEqual([1, 1, 7]);
    expect(ids('toString constructor __proto__')).toEqual([1, 24, 1, 1, 1, 1, 1]);
  });

  it('reads special tokens in a text as ordinary words', () => {
    expect(ids('[UNK]')).toEqual([17, 19, 18]);
  });

  it('accepts words of 100 characters, and makes longer ones one unknown token', () => {
    expect(ids(`a${'c'.repeat(99)}`)).toEqual([7, ...Array(99).fill(16)]);
    expect(ids(`a${'c'.repeat(100)}`)).toEqual([1]);
    expect(ids(`${'c'.repeat(1_000_000)} a`)).toEqual([1, 7]);
  });

  it('counts characters, not UTF-16 units', () => {
    const accepting = parse(tinyTokenizer({ ...VOCABULARY, '##𝒳': 25 }));
    expect(ids('𝒳'.repeat(100), 1000, accepting)).toEqual([23, ...Array(99).fill(25)]);
    expect(ids('𝒳'.repeat(101), 1000, accepting)).toEqual([1]);
  });

  it('drops ids that do not fit, also in the middle of a word', () => {
    expect(ids('unaffable a', 2)).toEqual([2, 3]);
    expect(ids('a , a', 2)).toEqual([7, 8]);
    expect(ids('zzz zzz', 1)).toEqual([1]);
    expect(ids('a', 0)).toEqual([]);
  });

  it('agrees with a step-by-step reference on any text', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'unafbleUNAFBLE ,"\\\n\t\0\u0301中文ΣσÉ𝒳→“\u200b\ud800'),
        fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
      ),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (sample) => {
        expect(ids(sample)).toEqual(defined(sample));
      }),
      { numRuns: examples(500) },
    );
  });

  it('gives the ids that the shipped model’s training computed', () => {
    const folder = new URL('../../../../models/static/', import.meta.url);
    const shipped = WordPiece.parse(readFileSync(new URL('tokenizer.json', folder)));
    const fixtures = JSON.parse(readFileSync(new URL('fixtures.json', folder), 'utf8')) as {
      text: string;
      ids: number[];
    }[];
    expect(fixtures.length).toBeGreaterThan(40);
    for (const fixture of fixtures)
      expect([fixture.text, ids(fixture.text, 1000, shipped)]).toEqual([fixture.text, fixture.ids]);
  });
});

describe('WordPiece.parse', () => {
  it('reads a vocabulary in any JSON notation', () => {
    const json = tinyTokenizer(VOCABULARY);
    const spread = JSON.stringify(JSON.parse(json), null, 2);
    const escaped = json
      .replace('"é"', '"\\u00e9"')
      .replace('"un"', '"\\u0075n"')
      .replace('"##aff"', '"\\u0023#aff"')
      .replace('"##able"', '"##a\\u0062le"');
    for (const form of [json, spread, escaped])
      expect(ids('unaffable \\ " 中', 1000, parse(form))).toEqual([2, 3, 4, 10, 9, 12]);
  });

  it('reads any vocabulary back', () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z"\\é中]{1,12}$/), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(words, (list) => {
        const vocab = Object.fromEntries(['[UNK]', ...list].map((word, id) => [word, id]));
        const parsed = parse(tinyTokenizer(vocab));
        expect(parsed.size).toBe(list.length + 1);
        for (const word of list)
          if (/^[a-z]+$/.test(word)) expect(ids(word, 9, parsed)).toEqual([vocab[word]]);
      }),
    );
  });

  it.each([
    ['text that is not JSON', 'nonsense'],
    ['JSON without a vocabulary', '{"model": {}}'],
    ['a file that is cut off', tinyTokenizer(VOCABULARY).slice(0, 600)],
    ['ids that are no numbers', tinyTokenizer({ '[UNK]': 'x' })],
    ['ids beyond reason', tinyTokenizer({ '[UNK]': 1e12 })],
    ['a list instead', tinyTokenizer(VOCABULARY).replace(/"vocab":\{[^}]*\}/, '"vocab":[["a",1]]')],
    ['another kind of model', tinyTokenizer(VOCABULARY, { type: 'BPE' })],
    ['another normaliser', tinyTokenizer(VOCABULARY, {}, { normalizer: { type: 'NFC' } })],
    ['a token for unknown words that is missing', tinyTokenizer({ a: 0 })],
  ])('refuses %s', (_, json) => {
    expect(() => parse(json)).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
  });
});

/** Reference implementation of BertNormalizer, BertPreTokenizer and WordPiece, one whole-text step after the other. */
function defined(text: string): number[] {
  const ideograph =
    /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
  const clean = text
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu, '')
    .replace(/\s/gu, ' ')
    .replace(ideograph, ' $& ');
  const plain = [...clean.normalize('NFD').replace(/\p{Mn}/gu, '')]
    .map((char) => char.toLowerCase())
    .join('');
  const words = plain.match(/[^\s\p{P}$+<=>^`|~]+|[\p{P}$+<=>^`|~]/gu) ?? [];
  const vocabulary = new Map(Object.entries(VOCABULARY));
  return words.flatMap((word) => {
    const pieces: number[] = [];
    for (let rest = word, mark = ''; rest !== ''; mark = '##') {
      let length = rest.length;
      while (length > 0 && !vocabulary.has(mark + rest.slice(0, length))) length -= 1;
      if (length === 0) return [1];
      pieces.push(vocabulary.get(mark + rest.slice(0, length))!);
      rest = rest.slice(length);
    }
    return pieces;
  });
}

const plain = (char: string) => plainCharacter(char.codePointAt(0)!);

describe('ASCII', () => {
  it('lowers letters, keeps digits, and classifies the rest', () => {
    const kind = (char: string) => ASCII[char.charCodeAt(0)];
    expect([kind('A'), kind('z'), kind('7')]).toEqual(['a', 'z', '7'].map((char) => char.charCodeAt(0)));
    expect([...' \t\n\r'].map(kind)).toEqual([GAP, GAP, GAP, GAP]);
    expect([...'\0\v\f\x1f\x7f'].map(kind)).toEqual([DROPPED, DROPPED, DROPPED, DROPPED, DROPPED]);
    expect([...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'].every((char) => kind(char) === PUNCTUATION)).toBe(true);
  });
});

describe('plainCharacter', () => {
  it('drops control and format characters, private use and lone surrogates', () => {
    for (const char of ['\u200b', '\ufeff', '\u00ad', '\u0085', '\ue000', '\ufffd', '\ud800'])
      expect(plain(char)).toBe('');
  });

  it('treats every kind of space as a gap', () => {
    for (const char of ['\u00a0', '\u2003', '\u3000', '\u2028']) expect(plain(char)).toBe(' ');
  });

  it('strips accents and lowers, one character at a time', () => {
    expect(['É', 'ñ', 'İ', 'Σ', 'ß', 'Ж'].map(plain)).toEqual(['e', 'n', 'i', 'σ', 'ß', 'ж']);
    expect(plain('\u0301')).toBe('');
  });

  it('isolates punctuation and ideographs, but neither kana nor hangul', () => {
    expect(['“', '…', '、'].map(plain)).toEqual([' “ ', ' … ', ' 、 ']);
    expect(['中', '𠀀', '\uf900'].map(plain)).toEqual([' 中 ', ' 𠀀 ', ' 豈 ']);
    // が is か and a mark that is stripped; 한 decomposes into its three letters.
    expect(['が', '한', '→', '€'].map(plain)).toEqual(['か', '한'.normalize('NFD'), '→', '€']);
  });
});
