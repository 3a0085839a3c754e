import { describe, expect, it } from 'vitest';
import type { Reader } from '#index';
import { copiesOf, separateCopies } from '../../../src/search/copies.ts';
import { search } from '../../../src/search/search.ts';
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
  });
});

describe('separateCopies', () => {
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
