import { describe, expect, it } from 'vitest';
import { collisions } from '../../../src/authoring/collisions.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from '../search/small-index.ts';

const words = (stem: string) => Array.from({ length: 60 }, (_, at) => `${stem}${at}`).join(' ');
const document = (id: string, description: string, body: string[]) =>
  toyDocument(id, description, body, { payload: { id, description, name: 'skill' }, name: 'skill' });
/** Forty words and a key: two such cards have a cosine of about 40 / 41. */
const DEPLOYS = `deploys a service to the cluster ${Array.from({ length: 34 }, (_, at) => `care${at}`).join(' ')}`;
const FILLS = `fills in forms of the tax office ${Array.from({ length: 33 }, (_, at) => `sign${at}`).join(' ')}`;
const DOCUMENTS = [
  document('a', DEPLOYS, [`${words('alpha')} deploys`]),
  document('b', DEPLOYS, [words('beta'), DEPLOYS]),
  document('c', FILLS, [words('gamma')]),
  document('d', FILLS, [words('gamma')]),
];

const found = async (most: number) =>
  collisions({ reader: await indexOf(DOCUMENTS), embedder: toyEmbedder(), now: () => 0 }, most);

describe('collisions', () => {
  it('finds skills with nearly equal cards and different contents, and which one shadows the other; twins do not count', async () => {
    const { skills, total, pairs } = await found(10);
    expect({ skills, total }).toEqual({ skills: 4, total: 1 });
    expect(pairs).toEqual([
      { ids: ['a', 'b'], similarity: expect.any(Number), closeness: expect.any(Number), shadowing: 'b' },
    ]);
    expect(pairs[0]!.similarity).toBeGreaterThan(0.95);
  });

  it('counts also the pairs that it does not search for', async () => {
    expect(await found(0)).toEqual({ skills: 4, total: 1, pairs: [] });
  });
});
