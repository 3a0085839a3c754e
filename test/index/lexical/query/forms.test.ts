import { describe, expect, it } from 'vitest';
import { prepareQuery } from '../../../../index/lexical/query/query.ts';
import { TermStatistics } from '../../../../index/lexical/query/statistics.ts';
import { built, written } from '../documents.ts';

const index = [
  built([
    written(
      'release',
      '安全なコミットからリリースまでを支援する。バージョン更新とタグ付けを行う。ピボットテーブルを作る。',
    ),
    written('ledger', '거래 내역을 정리하고 장부를 작성합니다. 마감할 때 사용하세요.'),
    written('weather', '查询城市的天气预报。当用户需要了解天气时使用。开具发票。'),
  ]),
];
/** The words of a query: those that the documents have, and the others with a `?`. */
const read = (query: string) =>
  prepareQuery(query, new TermStatistics(index, 3))
    .terms.map(({ term, frequency }) => (frequency > 0 ? term : `${term}?`))
    .join(' ');

describe('words of a query without spaces', () => {
  it.each([
    // Words that only share pairs of characters with those of a document.
    ['プレゼンテーション', 'プレゼンテーション?'],
    ['ローション コミック シリーズ', 'ローション? コミック? シリーズ?'],
    ['タグボート', 'タグボート?'],
    ['テーブルマナー', 'テーブルマナ?'],
    ['预算报告', '预算? 报告?'],
    ['城管', '城管?'],
    ['운동하세요', '운동?'],
  ])('%s is not found by its pairs', (query, words) => {
    expect(read(query)).toBe(words);
  });

  it.each([
    '사용하세요',
    '해주세요',
    'してください',
    'お願いします',
    '使い方を教えてください',
    '请帮我',
    '請幫我',
    '怎么使用',
  ])('nothing is searched for %s', (query) => {
    expect(read(query)).toBe('');
  });

  it.each([
    ['ﾘﾘｰｽ', 'リリース'],
    ['テーブル', 'テーブル'],
    ['タグを付けてリリースしたい', 'タグ 付け リリース'],
    ['テーブルを作って', 'テーブル 作'],
    ['天氣預報', '天气 预报'],
    ['请帮我查一下天气', '天气'],
    ['開發票', '开发? 发票'],
    ['장부는', '장부'],
    ['거래장부를 정리해주세요', '거래 장부 정리'],
    ['Docker로 장부 마감', 'docker? 장부 마감'],
  ])('%s is found', (query, words) => {
    expect(read(query)).toBe(words);
  });
});
