import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openModelFile } from '../../../../src/search/embedding/model-file.ts';
import { Vocabulary } from '../../../../src/search/embedding/vocabulary.ts';
import { WordPiece } from '../../../../src/search/embedding/wordpiece.ts';
import { examples } from '../../../thorough.ts';
import { vocabularyColumns } from './tiny-model.ts';

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
const wordPieceOver = (pieces: readonly string[]) =>
  new WordPiece(new Vocabulary(vocabularyColumns(pieces)), '[UNK]', 100);
const tokenizer = wordPieceOver(Object.keys(VOCABULARY));

function ids(text: string, limit = 1000, wordPiece = tokenizer): number[] {
  const buffer = new Uint32Array(limit);
  return [...buffer.subarray(0, wordPiece.encode(text, buffer))];
}

describe('WordPiece.encode', () => {
  it.each([
    [
      'takes the longest piece from the left, then the longest continuation',
      'unaffable affable',
      [2, 3, 4, 5],
    ],
    ['makes a whole word unknown if any rest of it is', 'unaffy a', [1, 7]],
    ['splits at spaces and around punctuation', 'a,a  "a"\n\\', [7, 8, 7, 9, 7, 9, 10]],
    ['lowers, strips accents, drops control characters', 'UN\u0000A\u0301FF\u200bABLE', [2, 3, 4]],
    ['lowers sigma the same way at the end of a word', 'ΣΣ', [20, 21]],
    ['treats each ideograph as a word', '中文a', [12, 14, 7]],
    ['does not match the continuation mark in a text', '##a', [1, 1, 7]],
    ['reads names of an object as words', 'toString constructor __proto__', [1, 24, 1, 1, 1, 1, 1]],
    ['reads special tokens in a text as ordinary words', '[UNK]', [17, 19, 18]],
  ])('%s', (_, text, expected) => {
    expect(ids(text)).toEqual(expected);
  });

  it('accepts words of 100 characters, and makes longer ones one unknown token', () => {
    expect(ids(`a${'c'.repeat(99)}`)).toEqual([7, ...Array(99).fill(16)]);
    expect(ids(`a${'c'.repeat(100)}`)).toEqual([1]);
    expect(ids(`${'c'.repeat(1_000_000)} a`)).toEqual([1, 7]);
  });

  it('counts characters, not UTF-16 units', () => {
    const accepting = wordPieceOver([...Object.keys(VOCABULARY), '##𝒳']);
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
    const { wordPiece: shipped } = openModelFile(fileURLToPath(new URL('model.safetensors', folder)));
    const fixtures = JSON.parse(readFileSync(new URL('fixtures.json', folder), 'utf8')) as {
      text: string;
      ids: number[];
    }[];
    expect(fixtures.length).toBeGreaterThan(40);
    for (const fixture of fixtures)
      expect([fixture.text, ids(fixture.text, 1000, shipped)]).toEqual([fixture.text, fixture.ids]);
  });
});

describe('Vocabulary', () => {
  it('finds every piece of any vocabulary', () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z"\\é中]{1,12}$/), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(words, (list) => {
        const pieces = ['[UNK]', ...list];
        const parsed = wordPieceOver(pieces);
        expect(parsed.vocabulary.size).toBe(pieces.length);
        for (const word of list)
          if (/^[a-z]+$/.test(word)) expect(ids(word, 9, parsed)).toEqual([pieces.indexOf(word)]);
      }),
    );
  });

  it('must have the token for unknown words', () => {
    expect(() => wordPieceOver(['a'])).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
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
