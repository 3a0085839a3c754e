import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reader } from '../../../index/reader/reader.ts';
import {
  areTranslations,
  collapse,
  copiesOf,
  pathOf,
  precedenceOf,
  preferBetterMaintained,
  separateCopies,
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

  it('are listed one by one on request', async () => {
    const reader = await catalog();
    const { hits } = await search(
      { query: 'deploy to a cluster', limit: 5, foldTwins: false },
      { reader, embedder: toyEmbedder(), now: () => 0 },
    );
    expect(hits).toHaveLength(4);
    expect(hits.every((hit) => hit.copies === undefined)).toBe(true);
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
  /** Skills with these digests and fingerprints, in an index that counts what is read of it. */
  const over = (digests: string, prints: string, scores: number[]) => {
    const read = { payloads: 0, keys: 0 };
    const reader = {
      fingerprints: () => ({
        areSimilar: (a: number, b: number, least: number) => least < 1 && prints[a] === prints[b],
        areEqual: (a: number, b: number) => prints[a]!.toLowerCase() === prints[b]!.toLowerCase(),
      }),
      payload: (ordinal: number) => {
        read.payloads += 1;
        return { digest: digests[ordinal - 10] };
      },
      key: (ordinal: number) => {
        read.keys += 1;
        return `skill-${ordinal}`;
      },
      facetCounts: () => [],
    } as unknown as Reader;
    const ordinals = Uint32Array.from(digests, (_, at) => at + 10);
    return { read, ...similarityOf(reader, ordinals, Float32Array.from(scores)) };
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

  it('takes similar texts for twins that are not identical', () => {
    const { identical, areTwins } = over('ab', 'xx', [0.5, 0.1]);
    expect(areTwins(0, 1)).toBe(true);
    expect(identical.areIdentical(0, 1)).toBe(false);
  });

  it('reads an entry only where fingerprints and scores leave a doubt, and once', () => {
    const { identical, read } = over('aaaa', 'xyXx', [0.5, 0.5, 0.5, 0.1]);
    identical.areIdentical(0, 1);
    identical.areIdentical(0, 3);
    expect(read.payloads).toBe(0);
    identical.areIdentical(0, 2);
    identical.areIdentical(2, 0);
    expect(identical.entry(0).digest).toBe('a');
    expect(read.payloads).toBe(2);
  });

  it('reads each path once', () => {
    const { areTranslations, read } = over('aaa', 'xyz', [0.5, 0.5, 0.5]);
    for (const [a, b] of [
      [0, 1],
      [1, 2],
      [0, 2],
    ] as const)
      expect(areTranslations(a, b)).toBe(false);
    expect(read.keys).toBe(3);
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

describe('separateCopies', () => {
  it('asks for places only where there are copies', () => {
    const places: number[] = [];
    const placeOf = (at: number) => {
      places.push(at);
      return 0;
    };
    separateCopies({ leader: 0, twins: [1, 2] }, () => false, placeOf);
    separateCopies({ leader: 0, twins: [] }, () => true, placeOf);
    expect(places).toEqual([]);
  });

  it('keeps near-identical skills under the leader, in their order', () => {
    const digests = ['x', 'y', 'x', 'y'];
    const isSame = (a: number, b: number) => digests[a] === digests[b];
    expect(separateCopies({ leader: 0, twins: [1, 2, 3] }, isSame, (at) => -at)).toEqual({
      leader: 2,
      copies: [0],
      twins: [1, 3],
    });
    expect(separateCopies({ leader: 0, twins: [1, 3] }, isSame, () => 0)).toEqual({
      leader: 0,
      copies: [],
      twins: [1, 3],
    });
  });

  it('keeps the order of the ranking for equal sources', () => {
    expect(
      separateCopies(
        { leader: 3, twins: [1, 2] },
        () => true,
        () => 0,
      ),
    ).toEqual({ leader: 3, copies: [1, 2], twins: [] });
  });
});

/** Candidates with the same letter are twins. */
const lettered = (letters: string) => (a: number, b: number) => letters[a] === letters[b];

describe('collapse', () => {
  it('folds twins under the best one and keeps the order of the leaders', () => {
    // Ranking 2, 0, 1, 3 with letters a b a b: 2 leads a, and 1 leads b.
    const { folded, more } = collapse([2, 0, 1, 3], 5, lettered('abab'));
    expect(folded).toEqual([
      { leader: 2, twins: [0] },
      { leader: 1, twins: [3] },
    ]);
    expect(more).toBe(false);
  });

  it('finds twins below the last leader, and reports that others follow', () => {
    expect(collapse([0, 1, 2], 1, lettered('aba'))).toEqual({
      folded: [{ leader: 0, twins: [2] }],
      more: true,
    });
  });

  it('loses no candidate and shows none twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 }), (letters) => {
        const order = [...letters].map((_, at) => at);
        const { folded, more } = collapse(order, order.length, lettered(letters));
        const shown = folded.flatMap(({ leader, twins }) => [leader, ...twins]);
        expect(shown.sort((a, b) => a - b)).toEqual(order);
        expect(more).toBe(false);
      }),
    );
  });

  it('returns the same leaders on a longer page', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 12 }),
        fc.nat(4),
        (letters, wanted) => {
          const order = [...letters].map((_, at) => at);
          const short = collapse(order, wanted, lettered(letters)).folded.map(({ leader }) => leader);
          const long = collapse(order, wanted + 3, lettered(letters)).folded.map(({ leader }) => leader);
          expect(long.slice(0, short.length)).toEqual(short);
        },
      ),
    );
  });
});

const are = (a: string, b: string, differ = false) => areTranslations(pathOf(a), pathOf(b), () => differ);

describe('areTranslations', () => {
  it('compares paths without languages and the folders around them', () => {
    expect(are('repo/skills/pdf', 'repo/docs/zh-CN/skills/pdf')).toBe(true);
    expect(are('repo/skills/pdf', 'repo/skills-i18n/zh/pdf')).toBe(true);
    expect(are('repo/docs/ja-JP/skills/pdf', 'repo/docs/es/skills/pdf')).toBe(true);
  });

  it('asks for the languages of the texts where a short name may be a country or a department', () => {
    expect(are('repo/skills/hr/onboarding', 'repo/skills/it/onboarding')).toBe(false);
    expect(are('repo/tax/vat-return', 'repo/tax/de/vat-return')).toBe(false);
    expect(are('repo/skills/pdf', 'repo/skills/es/pdf', true)).toBe(true);
    expect(are('repo/skills/pdf', 'repo/skills/forms', true)).toBe(false);
  });

  it('does not fold two paths that both leave a doubt, or two that name no language', () => {
    expect(are('repo/es/vat', 'repo/de/vat', true)).toBe(false);
    expect(are('repo/docs/vat', 'repo/skills/vat', true)).toBe(false);
  });

  it('reads the texts only where the paths leave a doubt', () => {
    let asked = 0;
    const differ = () => {
      asked += 1;
      return true;
    };
    const pairs = [
      ['repo/pdf', 'repo/forms'],
      ['repo/pdf', 'repo/docs/zh-CN/pdf'],
      ['repo/es/pdf', 'repo/de/pdf'],
    ] as const;
    for (const [a, b] of pairs) areTranslations(pathOf(a), pathOf(b), differ);
    expect(asked).toBe(0);
    expect(areTranslations(pathOf('repo/es/pdf'), pathOf('repo/pdf'), differ)).toBe(true);
    expect(asked).toBe(1);
  });

  it('keeps skills apart that only share a name', () => {
    expect(are('repo/skills/pdf', 'other/docs/zh-CN/skills/pdf')).toBe(false);
    expect(are('repo/skills/pdf', 'repo/docs/pdf')).toBe(false);
    expect(are('repo/go/pdf', 'repo/js/pdf')).toBe(false);
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

describe('collapse', () => {
  it('takes a translation of any member of a group into the group', () => {
    // 1 is a copy of 0; 2 is a translation of 1 only.
    const twins = (a: number, b: number) => a === 0 && b === 1;
    const translated = (a: number, b: number) => a === 1 && b === 2;
    const { folded } = collapse([0, 1, 2, 3], 5, twins, translated);
    expect(folded).toEqual([
      { leader: 0, twins: [1, 2] },
      { leader: 3, twins: [] },
    ]);
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

  it('prefers the worse skill never, whatever comes later in the order of reasons', () => {
    expect(leaderOf([entry(false, 0), entry(true, 9, true)], [0.5, 0.5])).toBe(0);
    expect(leaderOf([entry(true, 0), entry(false, 9)], [0.5, 0.5])).toBe(0);
  });

  it('keeps the others in the order of the ranking, the former leader first', () => {
    const entries = [entry(true, 0), entry(true, 1), entry(true, 2), entry(true, 1)];
    const group = { leader: 0, twins: [1, 2, 3] };
    const scores = new Float32Array(4).fill(0.5);
    const skills = { entry: (at: number) => entries[at]! };
    const prefer = (areTwins: (a: number, b: number) => boolean) =>
      preferBetterMaintained(group, scores, skills, areTwins);
    expect(prefer(() => true)).toEqual({ leader: 2, twins: [0, 1, 3] });
    // A translation does not lead.
    expect(prefer((_, twin) => twin !== 2)).toEqual({ leader: 1, twins: [0, 2, 3] });
    expect(prefer(() => false)).toEqual(group);
  });

  it('never prefers one that ranks clearly lower', () => {
    expect(leaderOf([entry(false, 0), entry(true, 9)], [0.5, 0.4])).toBe(0);
  });
});
