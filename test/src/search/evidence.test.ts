import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '#index';
import { evidenceFor, excerptOf } from '../../../src/search/evidence.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const terms = (text: string) => new Set(termsOf(text));

describe('excerptOf', () => {
  it('is the whole text on one line if it is short', () => {
    expect(excerptOf('Open the form.\n\n- list its\tfields', terms('fields'))).toBe(
      'Open the form. - list its fields',
    );
    expect(excerptOf('', terms('fields'))).toBe('');
  });

  it('is the beginning of the text without a match, cut at a word', () => {
    // 60 words of five characters and a space: 33 of them with their spaces are 198, without the last space 197.
    const excerpt = excerptOf('words '.repeat(60), new Set());
    expect(excerpt).toBe(`${'words '.repeat(33).trim()}…`);
    expect(excerpt).toHaveLength(198);
  });

  it('begins with the matching word’s line if its start is near', () => {
    const text = `${'filler '.repeat(60)}\nThe delimiter is found first.\n${'filler '.repeat(60)}`;
    expect(excerptOf(text, terms('delimiter'))).toMatch(/^The delimiter is found first\. filler/);
  });

  it('begins at a word shortly before the match if its line’s start is far, with an ellipsis', () => {
    const excerpt = excerptOf(`${'filler '.repeat(60)}delimiter ${'filler '.repeat(60)}`, terms('delimiter'));
    // Fifty characters before: the last seven fillers of seven characters.
    expect(excerpt).toMatch(/^…(filler ){7}delimiter filler/);
    expect(excerpt).toMatch(/filler…$/);
  });

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

  it('marks a cut after long white space', () => {
    expect(excerptOf(`a${' '.repeat(5_000)}b`, new Set())).toBe('a…');
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

  it.each([true, false])(
    'shows the passage that holds the words, with its place (vectors: %s)',
    async (vectors) => {
      const [first] = await evidence('detect a delimiter', vectors);
      expect(first).toEqual({
        path: 'SKILL.md',
        heading: ['Part 3'],
        lines: [3, 3],
        excerpt: 'Detect the delimiter of the table',
        terms: ['detect', 'delimiter'],
      });
    },
  );

  it('reports words as the query spells them, in its order', async () => {
    const [first] = await evidence('Delimiters, DETECTED?', true);
    expect(first?.terms).toEqual(['Delimiters', 'DETECTED']);
  });

  it('shows at most two passages, the second only if it scores nearly as high', async () => {
    expect(await evidence('delimiter', true)).toHaveLength(2);
    expect(await evidence('detect the delimiter of the table', true)).toHaveLength(1);
  });

  it('shows a passage even if nothing is similar', async () => {
    const [first] = await evidence('zebra', false);
    expect(first).toMatchObject({ path: 'SKILL.md', terms: [] });
  });
});
