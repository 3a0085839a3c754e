import { describe, expect, it } from 'vitest';
import { signedNumbers } from '../../../../index/lexical/analysis/signed-numbers.ts';
import { LexicalSearch } from '../../../../index/lexical/query/search.ts';
import { built, written } from '../documents.ts';

const names = (text: string, anyCase = false) => signedNumbers(text, { anyCase }).map(({ name }) => name);

describe('signedNumbers', () => {
  it.each([
    ['§ 626 BGB fristlose Kündigung', ['§626', '626bgb']],
    ['nach § 626 Abs. 1 BGB', ['§626', '626bgb']],
    ['Paragraf 626 BGB', ['§626', '626bgb']],
    ['CVE-2020-0796', ['cve2020-0796']],
    ['RFC 8058, RFC-8058', ['rfc8058', 'rfc8058']],
    ['ISO 27001', ['iso27001']],
    ['exit code 137 / exit status 137 / Exit 137', ['exit137', 'exit137', 'exit137']],
    ['Art. 6 DSGVO; Artikel 6 DSGVO', ['art6', '6dsgvo', 'art6', '6dsgvo']],
    ['Section 230', ['section230']],
    ['v1.2.3 of 2024-01-15 with 300 files, 2,393 skills', []],
    ['IN 20 MINUTES', []],
  ])('%s', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it('reads small letters in names and queries', () => {
    expect(names('rfc 8058')).toEqual([]);
    expect(names('rfc 8058', true)).toContain('rfc8058');
    expect(names('fristlose-kuendigung-626-bgb', true)).toEqual(['626bgb']);
  });
});

describe('a number with its sign', () => {
  const search = new LexicalSearch(
    [
      built([
        written('kuendigung-626-bgb'),
        written('other', '', 'Siehe § 626 BGB.'),
        written('third', '', '626 Seiten'),
      ]),
    ],
    3,
  );
  const shares = (query: string) => [
    ...search.identifierShares(search.prepare(query), Uint32Array.of(0, 1, 2)),
  ];

  it('counts where it is written with that sign, and most in name or description', () => {
    const [named, mentioned, alone] = shares('626 BGB prüfen') as [number, number, number];
    expect(named).toBe(1);
    expect(mentioned).toBe(0.5);
    expect(alone).toBe(0);
  });
});
