import { describe, expect, it } from 'vitest';
import { candidatesIn } from '../../../index/candidates.ts';
import { passagesFor } from '../../../src/search/start-reading.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

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

  it('looks at the one skill, and reads what it shows, where the files are elsewhere', async () => {
    const looked: number[][] = [];
    const read: { ordinal: number; at: number }[] = [];
    const candidatesOf = () => ({
      ...candidatesIn(reader),
      lookAt: async (...asked: Parameters<ReturnType<typeof candidatesIn>['lookAt']>) => {
        looked.push([...asked[1]]);
        const { words } = await candidatesIn(reader).lookAt(...asked);
        const readPassages = async (wanted: readonly { ordinal: number; at: number }[]) => {
          read.push(...wanted);
        };
        return { words, documents: { lexical: reader.lexical, passages: reader.passages, readPassages } };
      },
    });
    const found = await passagesFor('glaze', kiln, { reader, embedder, candidatesOf });
    expect(looked).toEqual([[kiln]]);
    expect(read).toEqual([1, 2, 3].map((at) => ({ ordinal: kiln, at })));
    expect(found).toHaveLength(3);
  });
});
