import { describe, expect, it } from 'vitest';
import { isKoreanGrammar, koreanStem } from '../../../../index/lexical/analysis/korean.ts';

describe('koreanStem', () => {
  it.each([
    ['장부를 장부는 장부의 장부에서는 장부들을 장부입니다', '장부'],
    ['배포하세요 배포합니다 배포했을 배포할 배포하기를 배포해줘 배포되었습니다 배포해주세요', '배포'],
    ['만들어주세요 만들어요 만들었습니다 만들려고', '만들'],
    ['로그인 로그인을 로그인하세요', '로그인'],
    ['이미지 이미지로', '이미지'],
    ['함수 함수를', '함수'],
  ])('%s → %s', (words, stem) => {
    expect(words.split(' ').map(koreanStem)).toEqual(words.split(' ').map(() => stem));
  });

  it('leaves at least two syllables', () => {
    for (const word of ['나는', '회의', '도로', '해', '를']) expect(koreanStem(word)).toBe(word);
  });
});

describe('isKoreanGrammar', () => {
  it.each(['사용하세요', '해주세요', '도와주세요', '알려주세요', '하고', '합니다', '어떻게'])(
    'has %s',
    (word) => {
      expect(isKoreanGrammar(koreanStem(word))).toBe(true);
    },
  );

  it.each(['요리하세요', '함수', '한국', '하늘', '배포합니다'])('does not have %s', (word) => {
    expect(isKoreanGrammar(koreanStem(word))).toBe(false);
  });
});
