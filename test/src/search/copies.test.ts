import { describe, expect, it } from 'vitest';
import type { Reader } from '../../../index/reader/reader.ts';
import {
  areTranslations,
  collapse,
  copiesOf,
  haveOwnSubjects,
  pathOf,
  precedenceOf,
  preferBetterMaintained,
  similarityOf,
} from '../../../src/search/copies.ts';
import { search } from '../../../src/search/search.ts';
import type { CatalogEntry } from '../../../src/sources/scan/entry.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

/** A skill of a source; skills of one text are identical. */
const skill = (source: string, id: string, text: string) =>
  toyDocument(id, text, [text], {
    aliases: ['deploy'],
    payload: {
      id,
      source,
      name: 'deploy',
      description: text,
      digest: Buffer.from(text.padEnd(32).slice(0, 32)).toString('hex'),
    },
    name: 'deploy',
  });
const precedence = new Map([
  ['team', 0],
  ['mirror', 1],
  ['old', 2],
]);
const catalog = () =>
  indexOf(
    [
      skill('mirror', 'mirror:deploy', 'Deploy to a cluster'),
      skill('old', 'archive/deploy', 'Deploy to a cluster'),
    ],
    [skill('team', 'team:deploy', 'Deploy to a cluster'), skill('team', 'other', 'Deploy a website')],
  );
const find = async (reader: Reader, more: object = {}) =>
  (
    await search(
      { query: 'deploy to a cluster', limit: 5 },
      { reader, embedder: toyEmbedder(), now: () => 0, precedence, ...more },
    )
  ).hits;

describe('identical skills', () => {
  it('fold into one hit of the first source, which lists the others in order of the sources', async () => {
    const hits = await find(await catalog());
    expect(hits.map(({ entry }) => entry.id)).toEqual(['team:deploy', 'other']);
    expect(hits[0]).toMatchObject({
      twins: [],
      copies: [
        { id: 'mirror:deploy', source: 'mirror' },
        { id: 'archive/deploy', source: 'old' },
      ],
    });
    expect(hits[1]).not.toHaveProperty('copies');
  });

  it('follow the order of the sources, not their names', async () => {
    const hits = await find(await catalog(), {
      precedence: new Map([
        ['old', 0],
        ['mirror', 1],
        ['team', 2],
      ]),
    });
    expect(hits[0]?.entry.id).toBe('archive/deploy');
  });

  it('are found from any copy', async () => {
    const reader = await catalog();
    const entryOf = (id: string) => reader.payload(reader.resolve(id)[0]!) as Parameters<typeof copiesOf>[1];
    expect(copiesOf(reader, entryOf('archive/deploy'), precedence)).toEqual([
      { id: 'team:deploy', source: 'team' },
      { id: 'mirror:deploy', source: 'mirror' },
    ]);
    expect(copiesOf(reader, entryOf('other'))).toEqual([]);
    // Without an order of the sources, by id.
    expect(copiesOf(reader, entryOf('team:deploy')).map(({ id }) => id)).toEqual([
      'archive/deploy',
      'mirror:deploy',
    ]);
  });

  it('come last from a source without a place', async () => {
    const [first] = await find(await catalog(), { precedence: new Map([['old', 5]]) });
    expect(first?.entry.id).toBe('archive/deploy');
    expect(first?.copies?.map(({ id }) => id)).toEqual(['mirror:deploy', 'team:deploy']);
    expect(precedenceOf(new Map([['old', 5]]), { source: 'old' } as CatalogEntry)).toBe(5);
  });
});

describe('similarityOf', () => {
  /** Skills with these digests and fingerprints. */
  const over = (digests: string, prints: string, scores: number[]) => {
    const reader = {
      fingerprints: () => ({
        areSimilar: (a: number, b: number, least: number) => least < 1 && prints[a] === prints[b],
        areEqual: (a: number, b: number) => prints[a]!.toLowerCase() === prints[b]!.toLowerCase(),
      }),
      payload: (ordinal: number) => ({ digest: digests[ordinal - 10], name: 'tea', description: '' }),
      key: (ordinal: number) => `skill-${ordinal}`,
      facetCounts: () => [],
    } as unknown as Reader;
    const ordinals = Uint32Array.from(digests, (_, at) => at + 10);
    return similarityOf(reader, ordinals, Float32Array.from(scores));
  };

  it.each([
    // Digests, fingerprints (upper and lower case are equal, but too short to be similar), scores.
    ['equal files', 'aa', 'xX', [0.5, 0.5], true],
    ['equal files of nearly equal scores', 'aa', 'xX', [0.5, 0.51], true],
    ['equal files of nearly equal scores, the better one first', 'aa', 'xX', [0.51, 0.5], true],
    ['other files', 'ab', 'xX', [0.5, 0.5], false],
    ['other fingerprints', 'aa', 'xy', [0.5, 0.5], false],
    ['other scores', 'aa', 'xX', [0.5, 0.6], false],
    ['other scores, the better one first', 'aa', 'xX', [0.6, 0.5], false],
    ['scores of other signs', 'aa', 'xX', [0.2, -0.2], false],
  ])('finds identical skills by %s', (_, digests, prints, scores, expected) => {
    const { identical, areTwins } = over(digests, prints, scores);
    expect(identical.areIdentical(0, 1)).toBe(expected);
    expect(areTwins(0, 1)).toBe(expected);
  });

  it.each([
    [
      'two products of one template',
      ['acme-billing', 'Acme billing (invoices)'],
      ['acme-fleet', 'Acme fleet (trucks)'],
      true,
    ],
    ['two objects', ['ramp-ci', 'Runs Ramp in CI'], ['ramp-deploy', 'Deploys Ramp'], true],
    ['a copy under a longer name', ['compress', 'Shortens'], ['caveman-compress', 'Shortens much'], false],
    ['a copy under another name', ['ui-audit', 'Audits a page'], ['ux-audit', 'Audits a page'], false],
    ['a copy with another description', ['tea', 'Brews tea'], ['tea', 'Makes a cup'], false],
    ['a copy in the plural', ['form-filler', 'Fills a form'], ['forms-filler', 'Fills forms'], false],
  ] as const)('tells %s', (_, [name, description], [otherName, otherDescription], expected) => {
    const [a, b] = [
      { name, description },
      { name: otherName, description: otherDescription },
    ];
    expect([haveOwnSubjects(a, b), haveOwnSubjects(b, a)]).toEqual([expected, expected]);
  });

  it('tells doubtful paths apart by the languages of the texts', async () => {
    const document = (id: string, language: string) =>
      toyDocument(id, 'Tax', [], { facets: language === '' ? [] : [`language:${language}`] });
    const reader = await indexOf([
      document('tax/vat', 'en'),
      document('tax/es/vat', 'es'),
      document('tax/de/vat', 'en'),
      document('tax/fr/vat', ''),
    ]);
    const { areTranslations } = similarityOf(reader, Uint32Array.of(0, 1, 2, 3), new Float32Array(4));
    expect([1, 2, 3].map((at) => areTranslations(0, at))).toEqual([true, false, true]);
    // Also in two languages of which neither is the commonest.
    const other = await indexOf([
      document('tax/vat', 'es'),
      document('tax/fr/vat', 'fr'),
      document('tea', 'en'),
      document('rice', 'en'),
    ]);
    expect(similarityOf(other, Uint32Array.of(0, 1), new Float32Array(2)).areTranslations(0, 1)).toBe(true);
  });
});

describe('collapse', () => {
  it('folds what a mirror translates into the group of the mirrored skill', () => {
    const [original, mirror, translation] = [0, 1, 2];
    const { folded } = collapse(
      [original, mirror, translation],
      5,
      (a, b) => a === original && b === mirror,
      (a, b) => a === mirror && b === translation,
    );
    expect(folded).toEqual([{ leader: original, twins: [mirror, translation] }]);
  });
});

describe('areTranslations', () => {
  it.each([
    ['repo/skills/pdf', 'repo/docs/zh-CN/skills/pdf', false, true],
    ['repo/skills/pdf', 'repo/skills-i18n/zh/pdf', false, true],
    ['repo/docs/ja-JP/skills/pdf', 'repo/docs/es/skills/pdf', false, true],
    // A short name may be a country or a department: the texts decide.
    ['repo/skills/hr/onboarding', 'repo/skills/it/onboarding', false, false],
    ['repo/tax/vat-return', 'repo/tax/de/vat-return', false, false],
    ['repo/skills/pdf', 'repo/skills/es/pdf', true, true],
    ['repo/skills/pdf', 'repo/skills/forms', true, false],
    // Both leave a doubt, or name no language, or share a name alone.
    ['repo/es/vat', 'repo/de/vat', true, false],
    ['repo/docs/vat', 'repo/skills/vat', true, false],
    ['repo/skills/pdf', 'other/docs/zh-CN/skills/pdf', false, false],
    ['repo/skills/pdf', 'repo/docs/pdf', false, false],
    ['repo/go/pdf', 'repo/js/pdf', false, false],
  ])('of %s and %s, texts differ: %s', (a, b, differ, expected) => {
    expect(areTranslations(pathOf(a), pathOf(b), () => differ)).toBe(expected);
  });
});

describe('pathOf', () => {
  it.each([
    ['repo/docs/zh-CN/skills/pdf', 'repo/pdf', 'surely'],
    ['repo/pt_BR/pdf', 'repo/pdf', 'surely'],
    ['repo/zh-Hant/pdf', 'repo/pdf', 'surely'],
    ['repo/i18n/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/.translations/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/Locales/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/lang/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/doc/zh/pdf', 'repo/pdf', 'surely'],
    ['my-i18n/zh/pdf', 'pdf', 'surely'],
    ['de/i18n/zh/pdf', 'pdf', 'surely'],
    ['source:zh/pdf', 'source/pdf', 'perhaps'],
    ['repo/zh/pdf', 'repo/pdf', 'perhaps'],
    ['zh/pdf', 'pdf', 'perhaps'],
    ['repo/docs/skills/.skill/pdf', 'repo/pdf', 'no'],
    // A name of the skill is its own, even if it is that of a language or a folder of translations.
    ['repo/zh', 'repo/zh', 'no'],
    ['repo/docs', 'repo/docs', 'no'],
    ['skills', 'skills', 'no'],
    ['', '', 'no'],
    // No languages: other codes, other cases, longer names.
    ['repo/go/pdf', 'repo/go/pdf', 'no'],
    ['repo/ZH/pdf', 'repo/ZH/pdf', 'no'],
    ['repo/zho/pdf', 'repo/zho/pdf', 'no'],
    ['repo/azh/pdf', 'repo/azh/pdf', 'no'],
    ['repo/zh-Latin/pdf', 'repo/zh-Latin/pdf', 'no'],
    ['repo/zh-C/pdf', 'repo/zh-C/pdf', 'no'],
    ['repo/go-CN/pdf', 'repo/go-CN/pdf', 'no'],
    ['repo/-i18n/pdf', 'repo/-i18n/pdf', 'no'],
    ['repo/mydocs/pdf', 'repo/mydocs/pdf', 'no'],
    ['repo/docsite/pdf', 'repo/docsite/pdf', 'no'],
    ['repo/myskills/pdf', 'repo/myskills/pdf', 'no'],
    ['repo/skillset/pdf', 'repo/skillset/pdf', 'no'],
    ['repo/x-i18n-y/pdf', 'repo/x-i18n-y/pdf', 'no'],
  ] as const)('reads %j', (id, common, named) => {
    expect(pathOf(id)).toEqual({ common, named });
  });
});

describe('preferBetterMaintained', () => {
  const entry = (strict: boolean, references: number, marked = false) =>
    ({
      strict,
      references: Array.from({ length: references }, (_, at) => `references/${at}.md`),
      scripts: [],
      ...(marked && { marks: [{}] }),
    }) as never;
  const leaderOf = (entries: readonly never[], scores: number[]) =>
    preferBetterMaintained(
      { leader: 0, twins: entries.slice(1).map((_, at) => at + 1) },
      Float32Array.from(scores),
      { entry: (at) => entries[at]! },
      () => true,
    ).leader;

  it('prefers no suspicion, then the specification, then more files, then the rank', () => {
    expect(leaderOf([entry(true, 9, true), entry(false, 0)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([entry(false, 9), entry(true, 0)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([entry(true, 1), entry(true, 2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([entry(true, 1), entry(true, 1)], [0.5, 0.5])).toBe(0);
  });

  it('counts scripts as files, and takes an entry without lists for one without files', () => {
    const scripts = (count: number) =>
      ({ strict: true, scripts: Array.from({ length: count }, String) }) as never;
    expect(leaderOf([entry(true, 1), scripts(2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([scripts(1), entry(true, 2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([scripts(2), entry(true, 1)], [0.5, 0.5])).toBe(0);
    const references = { strict: true, references: ['a'] } as never;
    expect(leaderOf([references, scripts(2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([references, entry(true, 1)], [0.5, 0.5])).toBe(0);
    expect(leaderOf([entry(true, 1), references], [0.5, 0.5])).toBe(0);
  });

  it('never prefers one that ranks clearly lower', () => {
    expect(leaderOf([entry(false, 0), entry(true, 9)], [0.5, 0.4])).toBe(0);
  });
});
