import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '../../../index/lexical/analysis/analyzer.ts';
import type { LexicalQuery } from '../../../index/lexical/query/query.ts';
import type { Reader } from '../../../index/reader/reader.ts';
import { evidenceFor, excerptOf, passagesFor } from '../../../src/search/evidence.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const terms = (text: string) => new Set(termsOf(text));

describe('excerptOf', () => {
  it('shows the span with the most distinct words, not the most repeats', () => {
    const text = [
      `csv csv csv csv ${'x '.repeat(150)}`,
      `clean the csv and trim it ${'y '.repeat(150)}`,
    ].join('\n');
    expect(excerptOf(text, terms('clean csv trim'))).toMatch(/^clean the csv and trim it/);
  });

  it('contains both ends of a wide span', () => {
    const text = `${'filler '.repeat(40)}first ${'z '.repeat(90)}second ${'filler '.repeat(40)}`;
    const excerpt = excerptOf(text, terms('first second'));
    // "first " + 90 × "z " + "second" = 6 + 180 + 6 = 192 characters.
    expect(excerpt).toContain('first');
    expect(excerpt).toContain('second');
  });

  it('works in scripts without spaces', () => {
    const text = `${'表を整える前に'.repeat(60)}検索する${'値を確かめる'.repeat(60)}`;
    expect(excerptOf(text, terms('検索'))).toContain('検索');
  });

  it('is one well-formed line of at most 200 characters that contains a match, for any text', () => {
    const piece = fc.oneof(
      fc.constantFrom('alpha', 'beta', 'gamma', ' ', '  ', '\n', '\t', '😀', '表', '\u0000', 'x'.repeat(50)),
      fc.string({ unit: 'binary', maxLength: 10 }),
    );
    const text = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (given) => {
        const excerpt = excerptOf(given, terms('alpha beta gamma'));
        expect(excerpt.length).toBeLessThanOrEqual(200);
        expect(excerpt.isWellFormed()).toBe(true);
        expect(excerpt).not.toMatch(/[\n\r\t\p{Cc}]/u);
        expect(excerpt).toBe(excerpt.trim());
      }),
      { numRuns: 300 },
    );
  });

  it('contains a match at any position between plain words', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), fc.constantFrom(' ', '\n'), (before, after, space) => {
        const text = `${`filler${space}`.repeat(before)}delimiter${`${space}filler`.repeat(after)}`;
        expect(excerptOf(text, terms('delimiter'))).toContain('delimiter');
      }),
    );
  });
});

describe('an excerpt', () => {
  /** Words of five letters, with a space after each. */
  const words = (count: number) => 'words '.repeat(count);
  const found = terms('delimiter');

  it.each([
    ['keeps a text of 200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['cuts one of 201 characters', 'x'.repeat(201), `${'x'.repeat(199)}…`],
    ['cuts before a word that does not fit', `${'four '.repeat(60)}`, `${'four '.repeat(40).trim()}…`],
    [
      'cuts a word that is half of the text',
      `${'x'.repeat(100)} ${'y'.repeat(300)}`,
      `${'x'.repeat(100)} ${'y'.repeat(98)}…`,
    ],
    ['cuts before a word that is less', `${'x'.repeat(101)} ${'y'.repeat(300)}`, `${'x'.repeat(101)}…`],
    ['cuts no character in two', `${'x'.repeat(198)}😀😀`, `${'x'.repeat(198)}…`],
    ['keeps a character that fits', `${'x'.repeat(197)}😀😀`, `${'x'.repeat(197)}😀…`],
    ['replaces half a character', 'a\ud800b', 'a\ufffdb'],
    ['replaces half a character of a long text', `a\ud800${'b'.repeat(300)}`, `a\ufffd${'b'.repeat(197)}…`],
    ['joins lines, and leaves out what cannot be shown', ' a\n\n b\u0000c \u0007 d ', 'a b c d'],
    ['reads over white space', `a${' '.repeat(300)}b`, 'a b'],
    ['reads over much white space', `a${' '.repeat(798)}b`, 'a b'],
    ['ends in more of it', `a${' '.repeat(799)}b`, 'a…'],
    ['keeps all words before white space', `${words(25)}${' '.repeat(5_000)}b`, `${words(25).trim()}…`],
    ['does not end in a space before half a character', `a${' '.repeat(798)}😀b`, 'a…'],
    [
      'reads on where white space hides that more follows',
      `${'a'.repeat(100)}${' '.repeat(51)}${'b'.repeat(99)}${'c'.repeat(100)}`,
      `${'a'.repeat(100)} ${'b'.repeat(98)}…`,
    ],
    [
      'cuts before a word that leaves no room for the mark',
      `${'x'.repeat(149)} ${'y'.repeat(50)} ${'z'.repeat(100)}`,
      `${'x'.repeat(149)}…`,
    ],
    [
      'cuts there also before white space',
      `${'x'.repeat(101)} ${'y'.repeat(98)}${' '.repeat(5_000)}z`,
      `${'x'.repeat(101)}…`,
    ],
    [
      'keeps what is one line of 200 characters',
      `${words(20)}${' '.repeat(60)}${'y'.repeat(80)}`,
      `${words(20)}${'y'.repeat(80)}`,
    ],
  ])('%s', (_, text, expected) => {
    expect(excerptOf(text, new Set())).toBe(expected);
    expect(expected.length).toBeLessThanOrEqual(200);
  });

  it.each([
    [
      'the start of its line, 50 characters before',
      `${words(60)}\n${'x'.repeat(49)} delimiter ${words(60)}`,
      /^x{49} delimiter/,
    ],
    [
      'a word, if its line starts earlier',
      `${words(60)}\n${'x'.repeat(50)} delimiter ${words(60)}`,
      /^…delimiter/,
    ],
    ['the start of the text', `${words(8)}delimiter ${words(60)}`, /^(words ){8}delimiter/],
    ['a word, if the text starts earlier', `${words(9)}delimiter ${words(60)}`, /^…(words ){8}delimiter/],
    ['itself, where no word starts before', `${'x'.repeat(300)}-delimiter ${words(60)}`, /^…delimiter/],
    ['a word after any white space', `${words(60)}a\tb delimiter ${words(60)}`, /^…(words ){7}a b delimiter/],
  ])('of a match begins with %s', (_, text, expected) => {
    const excerpt = excerptOf(text, found);
    expect(excerpt).toMatch(expected);
    expect(excerpt).toHaveLength(Math.min(200, excerpt.length));
    expect(excerpt.endsWith('…')).toBe(true);
  });

  it('shows less before a match that goes on for long', () => {
    // The match has 9 + 151 + 7 = 167 characters: 31 are left.
    const text = `${words(60)}delimiter ${'y'.repeat(149)} quoting ${words(60)}`;
    const excerpt = excerptOf(text, terms('delimiter quoting'));
    expect(excerpt).toMatch(/^…(words ){5}delimiter y+ quoting…$/);
  });

  it('has as many distinct words of the query as any span of its length', () => {
    const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
    const piece = fc.oneof(
      fc.constantFrom(...WORDS),
      fc.integer({ min: 1, max: 180 }).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), (pieces) => {
        const text = pieces.join(' ');
        const places = [...text.matchAll(/alpha|beta|gamma|delta/g)];
        const most = Math.max(
          0,
          ...places.map(({ index }, at) => {
            const near = places.slice(at).filter((other) => other.index + other[0].length - index <= 198);
            return new Set(near.map(([word]) => word)).size;
          }),
        );
        const excerpt = excerptOf(text, terms(WORDS.join(' ')));
        expect(WORDS.filter((word) => excerpt.includes(word)).length).toBeGreaterThanOrEqual(most);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the passages of a hit', () => {
  /** Passages with these weights of the query's words, and cosines. Each is at the line of its number. */
  const documents = (weights: number[], cosines: number[] = []) =>
    ({
      passages: {
        requestCount: () => 0,
        weights: () => Float64Array.from(weights),
        cosines: () => Float32Array.from(cosines),
        get: (_: number, at: number) => ({ path: 'SKILL.md', heading: [], lines: [at, at], text: '' }),
        terms: () => [],
      },
    }) as unknown as Reader;
  const query = (mass: number) => ({ text: '', language: null, terms: [], mass }) as unknown as LexicalQuery;
  const vector = Float32Array.of(1);

  it.each<[string, number[], number[] | null, number, number, number[]]>([
    ['words and meaning count together', [0, 4, 2], [0, 0, 0.9], 4, 2, [2, 1]],
    ['words count as a share of the query', [0, 4, 2], [0, 0.3, 0.9], 40, 1, [2]],
    ['a second one is worth it from six tenths', [0, 5, 3], null, 5, 2, [1, 2]],
    ['a second one below is not', [0, 5, 2.9], null, 5, 2, [1]],
    ['the card stands behind an equal passage', [4, 4], null, 4, 2, [1, 0]],
    ['the card stands before a much worse one', [4, 2], null, 4, 1, [0]],
    ['equal ones stay in their order', [0, 4, 4, 4], null, 4, 2, [1, 2]],
    ['there are as many as asked for', [0, 4, 4, 4, 4], null, 4, 3, [1, 2, 3]],
    ['there are no more than the document has', [0, 4], null, 4, 9, [1]],
    ['one is shown even if nothing is similar', [0, 0, 0], [-0.3, -0.1, -0.5], 4, 3, [1]],
    ['meaning decides for a query without words', [0, 0, 0], [0, 0.2, 0.9], 0, 2, [2]],
    ['there is none if none is asked for', [0, 4], null, 4, 0, []],
    ['there is none of a document without text', [], null, 4, 2, []],
  ])('%s', async (_, weights, cosines, mass, most, expected) => {
    const reader = documents(weights, cosines ?? []);
    const chosen = evidenceFor(reader, 7, query(mass), cosines === null ? null : vector, most);
    expect(chosen.map(({ lines }) => lines[0])).toEqual(expected);
  });
});

describe('evidenceFor', () => {
  const embedder = toyEmbedder();
  const csv = toyDocument(
    'csv',
    'Clean messy tables',
    ['Open the file', 'Detect the delimiter of the table', 'Write the result'],
    { references: ['Delimiter and quoting by country'] },
  );
  const evidence = async (query: string, withVector: boolean, excerpts = true) => {
    const reader = await indexOf([csv, toyDocument('pdf', 'Fill in forms', ['Open the form'])]);
    const vector = withVector ? await embedder.embedQuery(query) : null;
    return evidenceFor(reader, reader.resolve('csv')[0]!, reader.lexical.prepare(query), vector, 2, excerpts);
  };

  it('names the same passages and words without excerpts', async () => {
    const whole = await evidence('detect a delimiter', true);
    expect(whole[0]?.excerpt).not.toBe('');
    expect(await evidence('detect a delimiter', true, false)).toEqual(
      whole.map((each) => ({ ...each, excerpt: '' })),
    );
  });

  it('reports words as the query spells them, in its order', async () => {
    const [first] = await evidence('Delimiters, DETECTED?', true);
    expect(first?.terms).toEqual(['Delimiters', 'DETECTED']);
  });
});

const reader = await indexOf([
  toyDocument('kiln', 'Fire clay', ['Glaze it', 'Glaze it', 'Glaze it', 'Glaze it', 'Sweep the floor']),
  toyDocument('tea', 'Brew tea', ['Boil water', 'Glaze']),
]);
const embedder = toyEmbedder();
const kiln = reader.resolve('kiln')[0]!;
const linesFor = async (query: string, model: typeof embedder | null) =>
  (await passagesFor(query, kiln, { reader, embedder: model })).map(({ lines }) => lines[0]);

describe('passagesFor', () => {
  it.each([
    ['with a model', embedder],
    ['by words alone', null],
  ])('begins with the best passages of this skill, at most three (%s)', async (_, model) => {
    expect(await linesFor('glaze', model)).toEqual([2, 3, 4]);
    expect(await linesFor('sweep the floor', model)).toEqual([6]);
  });

  it('prefers the nearest of passages with the same words, if there is a model', async () => {
    const bowls = await indexOf([
      toyDocument('bowl', 'Fire clay', ['Glaze the large and heavy old bowl', 'Glaze a bowl']),
    ]);
    const first = async (model: typeof embedder | null) =>
      (await passagesFor('glaze a bowl', 0, { reader: bowls, embedder: model }))[0]?.lines[0];
    expect(await first(embedder)).toBe(3);
    expect(await first(null)).toBe(2);
  });

  it('leaves out passages without a word of the query, even the nearest', async () => {
    expect(await linesFor('zebra', embedder)).toEqual([]);
    expect(await linesFor('', embedder)).toEqual([]);
  });

  it('shows excerpts and words, as a search does', async () => {
    const [first] = await passagesFor('sweep\u0000floors', kiln, { reader, embedder });
    expect(first).toMatchObject({ excerpt: 'Sweep the floor', terms: ['sweep', 'floors'] });
  });
});
