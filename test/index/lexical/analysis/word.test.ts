import { describe, expect, it } from 'vitest';
import { eachTerm } from '../../../../index/lexical/analysis/word.ts';

function termsOf(word: string): string[] {
  const terms: string[] = [];
  eachTerm(word, (term) => terms.push(term));
  return terms;
}

describe('eachTerm', () => {
  it('splits camelCase at its humps', () => {
    expect(termsOf('parseHtmlTable')).toEqual(['parsehtmlt', 'pars', 'html', 'tabl']);
    expect(termsOf('XMLHttpRequest')).toEqual(['xmlhttprequest', 'xml', 'http', 'request']);
    expect(termsOf('s3BucketName')).toEqual(['s3bucketname', 's3', 'bucket', 'name']);
  });

  it('does not split product names, plurals of abbreviations and single first letters', () => {
    expect(termsOf('GitHub')).toEqual(['github']);
    expect(termsOf('JavaScript')).toEqual(['javascript']);
    expect(termsOf('APIs')).toEqual(['api']);
    expect(termsOf('iPhone')).toEqual(['iphon']);
  });

  it('finds the name before a version, if it has three letters or more', () => {
    expect(termsOf('python3')).toEqual(['python3', 'python']);
    expect(termsOf('S3')).toEqual(['s3']);
    expect(termsOf('TS2345')).toEqual(['ts2345']);
  });

  it('counts the parts, not the whole', () => {
    const counted: [string, boolean][] = [];
    eachTerm('getUserName', (term, _from, _to, counts) => counted.push([term, counts]));
    expect(counted).toEqual([
      ['getusernam', false],
      ['get', true],
      ['name', true],
    ]);
  });

  it.each([
    ['a hash', 'da39a3ee5e6b4b0d3255bfef95601890'],
    ['hexadecimal with few numbers', 'deadbeefcafe1234567890abcdef'],
    ['base64', 'eyJhbGciOiJIUzI1NiIs'],
    ['a key', 'AKIA4XQ7B2M9Z1K8'],
    ['more than 40 characters', 'internationalizationinternationalizations'],
  ])('ignores %s', (_, word) => {
    expect(termsOf(word)).toEqual([]);
  });

  it.each(['0x80070005', 'internationalization', 'AbstractSingletonProxyFactoryBean', '20240115123000999'])(
    'does not take %s for encoded data',
    (word) => {
      expect(termsOf(word)[0]).toBeDefined();
    },
  );
});
