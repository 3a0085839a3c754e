import { describe, expect, it } from 'vitest';
import {
  ASCII,
  DROPPED,
  GAP,
  PUNCTUATION,
  plainCharacter,
} from '../../../../src/search/embedding/characters.ts';

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
