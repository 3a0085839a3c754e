import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, rootOf, STOP_WORDS, stem } from '../../../../index/lexical/analysis/stem.ts';

describe('fold', () => {
  it('removes case, accents, full width and ligatures', () => {
    expect(fold('Ünïcödé')).toBe('unicode');
    expect(fold('ＦＵＬＬ')).toBe('full');
    expect(fold('ﬁle')).toBe('file');
    expect(fold('Ёлка')).toBe('елка');
  });

  it('keeps the marks that other scripts need', () => {
    expect(fold('हिन्दी')).toBe('हिन्दी');
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aZéÅß漢हिｶ') }), (word) => {
        expect(fold(fold(word))).toBe(fold(word));
      }),
    );
  });
});

describe('stem', () => {
  it('stems English words like Porter, and nothing else', () => {
    expect(stem('deployments')).toBe('deploy');
    expect(stem('relational')).toBe('relat');
    expect(stem('utf8s')).toBe('utf8s');
    expect(stem('журналы')).toBe('журналы');
    expect(stem(`${'a'.repeat(29)}ss`)).toBe(`${'a'.repeat(29)}ss`);
  });
});

describe('STOP_WORDS', () => {
  it('are folded like the words they are compared with', () => {
    for (const word of STOP_WORDS) expect(fold(word)).toBe(word);
    expect(STOP_WORDS).not.toContain('');
  });
});

describe('rootOf', () => {
  it('is a prefix of every English word with that stem', () => {
    const endings =
      'sses ies s eed ed ing ated bled ized y ational enci anci izer bli entli ousli ization ator alism fulness iviti biliti logi icate ness ance able ement ou ive ion e ll';
    const ending = fc.constantFrom(...endings.split(' '));
    const beginning = fc.string({ unit: fc.constantFrom(...'abeilotsyz'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(beginning, fc.array(ending, { maxLength: 3 }), (first, rest) => {
        const word = first + rest.join('');
        expect(word.startsWith(rootOf(stem(word)))).toBe(true);
      }),
    );
  });
});
