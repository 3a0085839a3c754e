import { describe, expect, it } from 'vitest';
import {
  DIGIT,
  JOINER,
  kindAt,
  LETTER,
  LOWER,
  OTHER,
  UNSPACED,
  UPPER,
  widthAt,
} from '../../../../index/lexical/analysis/characters.ts';

describe('kindAt', () => {
  it.each([
    ['a', LOWER],
    ['Z', UPPER],
    ['7', DIGIT],
    ['é', LETTER],
    ['Ж', LETTER],
    ['٣', LETTER],
    ['\u0301', LETTER],
    ['漢', UNSPACED],
    ['カ', UNSPACED],
    ['ー', UNSPACED],
    ['한', UNSPACED],
    ['ไ', UNSPACED],
    ['-', JOINER],
    ['’', JOINER],
    [' ', OTHER],
    ['+', OTHER],
    ['—', OTHER],
    ['🙂', OTHER],
    // Outside the basic plane: a Han character, and a Gothic letter.
    ['𠀀', UNSPACED],
    ['𐌰', LETTER],
  ])('of %s', (character, kind) => {
    expect(kindAt(character, 0)).toBe(kind);
    // The second lookup uses the table.
    expect(kindAt(`x${character}`, 1)).toBe(kind);
  });

  it('classifies half a pair, and positions beyond the text, as OTHER', () => {
    expect(kindAt('\ud840', 0)).toBe(OTHER);
    expect(kindAt('\udc00', 0)).toBe(OTHER);
    expect(kindAt('a', 1)).toBe(OTHER);
    // The high surrogate alone must not decide the class of the pair.
    expect(kindAt('𠀀', 0)).toBe(UNSPACED);
  });

  it('classifies letters, digits and marks of all scripts, and nothing else, as parts of words', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x10000; code += 1) {
      const character = String.fromCharCode(code);
      const kind = kindAt(character, 0);
      const isPart = /[\p{L}\p{N}\p{M}]/u.test(character);
      if (kind !== UNSPACED && kind >= LETTER !== isPart) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

describe('widthAt', () => {
  it('is 2 for a surrogate pair and 1 for anything else', () => {
    expect(widthAt('𠀀', 0)).toBe(2);
    expect(widthAt('𠀀', 1)).toBe(1);
    expect(widthAt('a', 0)).toBe(1);
  });
});
