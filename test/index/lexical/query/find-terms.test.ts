import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../../../index/lexical/analysis/analyzer.ts';
import { findTerms } from '../../../../index/lexical/query/find-terms.ts';

/** Any text, text dense in special characters of the analyzer, and English with some of them. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(..."aAzZ09-_./'’+#:?= \n.éß漢字ｶ한ไ🙂\ud83d\u0301") }),
  fc
    .array(
      fc.constantFrom(
        'deploy',
        'Deploying',
        'a',
        'C',
        'the',
        'x'.repeat(70),
        ..."-_./'+#:é漢1 ",
        '://',
        '.NET',
      ),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join('')),
);

describe('findTerms', () => {
  it('finds wanted terms in all their forms, with their positions', () => {
    const text = 'Deploying to GKE: deployments, re-deploy, DeployKit, deplored; c++ or C#.';
    const found = findTerms(text, new Set(['deploi', 'deploy', 'cpp', 'csharp']));
    expect(found.map(({ from, to }) => text.slice(from, to))).toEqual([
      'Deploying',
      'deployments',
      'deploy',
      'c++',
      'C#',
    ]);
  });

  it('finds the same tokens as a full analysis, in any text', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(20), { maxLength: 5 }), (text, places) => {
        const all = analyze(text);
        const wanted = new Set(places.flatMap((place) => all[place]?.term ?? []));
        expect(findTerms(text, wanted)).toEqual(all.filter(({ term }) => wanted.has(term)));
      }),
    );
  });
});
