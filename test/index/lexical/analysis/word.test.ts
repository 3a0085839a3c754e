import { describe, expect, it } from 'vitest';
import { eachTerm, identifiersOf } from '../../../../index/lexical/analysis/word.ts';
import { LexicalSearch } from '../../../../index/lexical/query/search.ts';
import { built, searchOf, written } from '../documents.ts';

function termsOf(word: string): string[] {
  const terms: string[] = [];
  eachTerm(word, (term) => terms.push(term));
  return terms;
}

describe('eachTerm', () => {
  it.each([
    // At its humps.
    ['parseHtmlTable', 'parsehtmlt pars html tabl'],
    ['XMLHttpRequest', 'xmlhttprequest xml http request'],
    ['s3BucketName', 's3bucketname s3 bucket name'],
    // Product names, plurals of abbreviations and single first letters stay whole.
    ['GitHub', 'github'],
    ['JavaScript', 'javascript'],
    ['APIs', 'api'],
    ['iPhone', 'iphon'],
    // The name before a version, if it has three letters or more.
    ['python3', 'python3 python'],
    ['S3', 's3'],
    ['TS2345', 'ts2345'],
    // A hash, hexadecimal with few numbers, base64, a key, more than 40 characters.
    ['da39a3ee5e6b4b0d3255bfef95601890', ''],
    ['deadbeefcafe1234567890abcdef', ''],
    ['eyJhbGciOiJIUzI1NiIs', ''],
    ['AKIA4XQ7B2M9Z1K8', ''],
    ['internationalizationinternationalizations', ''],
  ])('of %s: %s', (word, terms) => {
    expect(termsOf(word).join(' ')).toBe(terms);
  });

  it.each(['0x80070005', 'internationalization', 'AbstractSingletonProxyFactoryBean', '20240115123000999'])(
    'does not take %s for encoded data',
    (word) => {
      expect(termsOf(word)[0]).toBeDefined();
    },
  );
});

describe('identifiersOf', () => {
  it('returns names in camelCase and snake_case verbatim', () => {
    expect(identifiersOf('begin_create_certificate')).toEqual(['begin_create_certificate']);
    expect(identifiersOf('client.scheduleMessages')).toEqual(['scheduleMessages']);
    expect(identifiersOf('PersistentAgentsClient')).toEqual(['PersistentAgentsClient']);
    expect(identifiersOf('MAX_RETRIES')).toEqual(['MAX_RETRIES']);
  });

  it('ignores plain words, abbreviations, hyphenated names and encoded data', () => {
    for (const run of ['docker-compose', 'HTTP', 'Kubernetes', 'v1.2.3', 'eyJhbGciOiJIUzI1NiIs', '_private'])
      expect(identifiersOf(run)).toEqual([]);
  });
});

describe('identifiers of a query', () => {
  it('are listed once each, in the order of the text', () => {
    const search = searchOf([written('one', 'calls set_ref and getRef')]);
    const { identifiers } = search.prepare('Call `set_ref`, then getRef() and set_ref again.');
    expect(identifiers.map(({ name }) => name)).toEqual(['set_ref', 'getRef']);
  });
});

describe('identifierShares', () => {
  const documents = [
    written('one', 'calls set_ref', 'and drop_ref'),
    written('two', '', 'calls setRef and drop_ref'),
    written('three', 'set ref, drop ref'),
  ];
  const shares = (search: LexicalSearch, query: string, ordinals: number[]) => [
    ...search.identifierShares(search.prepare(query), Uint32Array.from(ordinals)),
  ];

  it('are shares of the weight of known identifiers, by exact spelling, for any order of ordinals', () => {
    const search = searchOf(documents);
    const [one, both] = search.prepare('set_ref drop_ref no_such_name').identifiers;
    const whole = one!.weight + both!.weight;
    expect(one!.weight).toBeGreaterThan(both!.weight);
    const found = shares(search, 'set_ref drop_ref no_such_name', [2, 0, 1]);
    expect(found[0]).toBe(0);
    expect(found[1]).toBeCloseTo(1, 6);
    expect(found[2]).toBeCloseTo(both!.weight / whole, 6);
    expect(shares(search, 'setRef', [0, 1])).toEqual([0, 1]);
  });

  it('are the same over several segments', () => {
    const parts = documents.map((document) => built([document]));
    const search = new LexicalSearch(parts, documents.length);
    for (const query of ['set_ref', 'drop_ref setRef', 'nothing of the kind'])
      expect(shares(search, query, [0, 1, 2])).toEqual(shares(searchOf(documents), query, [0, 1, 2]));
  });

  it('does not count identifiers as words', () => {
    const search = searchOf(documents);
    const plain = search.prepare('set_ref').terms.map(({ term }) => term);
    expect(plain).toEqual(['setref', 'set', 'ref']);
  });
});
