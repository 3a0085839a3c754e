import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, eachRun, termsOf } from '../../../../index/lexical/analysis/analyzer.ts';

/** Tokens as `term=words`. */
const tokens = (text: string) => analyze(text).map(({ term, from, to }) => `${term}=${text.slice(from, to)}`);

/** Any text, and text dense in special characters of the analyzer. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(..."aAzZ09-_./'’+#:?= \n.éß漢字ｶ한ไ🙂\ud83d\u0301") }),
);

describe('analyze', () => {
  it('reduces English words to their stems and drops stop words', () => {
    expect(tokens('Use this skill when you need to deploy databases, quickly!')).toEqual([
      'deploi=deploy',
      'databas=databases',
      'quickli=quickly',
    ]);
  });

  it.each([
    'C++',
    'C#',
    'F#',
    '.NET',
    'node.js',
    'v1.2.3',
    'k8s',
    'S3',
    'ORA-00942',
    'ERR_CONNECTION_REFUSED',
  ])('distinguishes %s from its parts', (name) => {
    const [whole] = termsOf(name);
    const pieces = name.split(/[^A-Za-z0-9]+|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])/).filter(Boolean);
    const known = pieces.join('') === name ? pieces : pieces.flatMap(termsOf);
    expect(whole).toBeDefined();
    expect(known).not.toContain(whole);
  });

  it.each([
    ['C++', 'cpp'],
    ['c#', 'C#'],
    ['F#', 'fsharp'],
    ['.NET', 'dotnet'],
    ['v1.2.3', '1.2.3'],
    ['node.js', 'nodejs'],
    ['CI/CD', 'cicd'],
    ['utf-8', 'UTF8'],
    ['Café', 'cafe'],
    ['ＡＰＩ', 'api'],
  ])('matches %s and %s', (one, other) => {
    expect(termsOf(one)[0]).toBe(termsOf(other)[0]);
  });

  it('finds C++ behind a joiner and before a version, and .NET inside ASP.NET', () => {
    expect(termsOf('C/C++')).toContain('cpp');
    expect(termsOf('C++17')).toEqual(['cpp', '17']);
    expect(termsOf('ASP.NET')).toContain('dotnet');
    expect(termsOf('example.net')).not.toContain('dotnet');
    expect(termsOf('.netrc')).not.toContain('dotnet');
    expect(termsOf('abc++ abc#')).toEqual(['abc', 'abc']);
  });

  it.each([
    ['データの検索', ['データ=データ', '検索=検索']],
    ['数据迁移', ['数据=数据', '迁移=迁移']],
    ['ฐานข้อมูล', ['ฐาน=ฐาน', 'ข้อมูล=ข้อมูล']],
    ['使用Docker部署', ['使用=使用', 'docker=Docker', '部署=部署']],
    ['字', ['字=字']],
    ['請開發票', ['开发=開發', '票=票']],
    // No dictionary has 语雀.
    ['语雀', ['语雀=语雀']],
    ['𠀀字', ['𠀀字=𠀀字']],
    // Parts are words, never pairs that only overlap.
    ['コミット', ['コミット=コミット']],
    [
      'カスタマーサポート',
      ['カスタマーサポート=カスタマーサポート', 'カスタマ=カスタマー', 'サポート=サポート'],
    ],
    ['ピボットテーブル', ['ピボットテーブル=ピボットテーブル', 'ピボット=ピボット', 'テーブル=テーブル']],
    ['ﾃﾞｰﾀｻｰﾊﾞｰ', ['データサーバ=ﾃﾞｰﾀｻｰﾊﾞｰ', 'データ=ﾃﾞｰﾀ', 'サーバ=ｻｰﾊﾞｰ']],
    ['読み込む', ['読み込む=読み込む', '読み込=読み込む']],
    ['배포를', ['배포=배포를', '배포를=배포를']],
    [
      '회계장부는',
      [
        '회계장부=회계장부는',
        '회계장부는=회계장부는',
        '회계=회계',
        '장부=장부',
        '장부는=장부',
        '회계장=회계장',
        '부는=부',
      ],
    ],
  ])('finds the words of %s and their parts', (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });

  it('counts an unspaced text as long as its pairs of characters, whatever its words', () => {
    const lengthOf = (text: string) => {
      let words = 0;
      eachRun(text, (run) => {
        words += run.words;
      });
      return words;
    };
    expect(lengthOf('字')).toBe(1);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'データの検索数据库迁移한국어𠀀'), minLength: 2 }),
        (text) => {
          expect(lengthOf(text)).toBe([...text].length - 1);
        },
      ),
    );
  });

  it('splits other scripts into words, with their marks', () => {
    expect(termsOf('привет, мир')).toEqual(['привет', 'мир']);
    expect(termsOf('हिन्दी पाठ')).toEqual(['हिन्दी', 'पाठ']);
  });

  it('indexes a link by its host and path, without the scheme', () => {
    expect(termsOf('https://docs.stripe.com/payments')).toEqual([
      'docsstripecom',
      'doc',
      'stripe',
      'com',
      'payment',
    ]);
    expect(termsOf('https')).toEqual(['http']);
  });

  it('continues after an overlong word, and cuts a long run at a joiner', () => {
    expect(termsOf(`${'x'.repeat(1_000_000)} kept`)).toEqual(['kept']);
    const words = Array.from({ length: 40 }, (_, at) => `word${at}x`);
    expect(termsOf(words.join('.'))).toEqual(expect.arrayContaining(words));
  });

  it('returns offsets inside the text, in order, none of them empty', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let previous = 0;
        for (const { term, from, to } of analyze(text)) {
          expect(term).not.toBe('');
          expect(from).toBeGreaterThanOrEqual(previous);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(text.length);
          previous = from;
        }
      }),
    );
  });

  it('analyses each line independently', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(termsOf(`${one}\n${other}`)).toEqual([...termsOf(one), ...termsOf(other)]);
      }),
    );
  });

  it('returns the same terms for the same words in another text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { term, from, to } of analyze(text)) {
          const alone = termsOf(text.slice(from, to));
          // Only two terms depend on their surroundings: 1.2 in v1.2, and NET after a dot.
          if (!/^(v.*|net)$/i.test(text.slice(from, to))) expect(alone).toContain(term);
        }
      }),
    );
  });
});
