import { describe, expect, it } from 'vitest';
import type { Reader } from '../../../index/reader/reader.ts';
import { copiesOf, precedenceOf, separateCopies, similarityOf } from '../../../src/search/copies.ts';
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
