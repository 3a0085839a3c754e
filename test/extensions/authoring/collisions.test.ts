import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkCollisions, collisions } from '../../../extensions/authoring/collisions.ts';
import { openEmbedder } from '../../../src/search/embedding/open.ts';
import { readDocument } from '../../../src/search/passages/document.ts';
import { localSource } from '../../../src/sources/local.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from '../../src/search/small-index.ts';
import { plant } from '../../src/sources/scan/tree.ts';

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

describe('checkCollisions', () => {
  it("finds the skills that an agent could not tell apart, and names each one's closest", async () => {
    const file = (name: string, description: string, body: string) =>
      `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
    const commits = (format: string) =>
      `Writes git commit messages by the Conventional Commits ${format}. Use when changes are to be committed.`;
    const root = plant({
      'git-commit/SKILL.md': file('git-commit', commits('format'), 'Read the diff first.'),
      'conventional-commits/SKILL.md': file(
        'conventional-commits',
        commits('specification'),
        'Types: feat, fix, docs.',
      ),
      'tea/SKILL.md': file('tea', 'Boils water for green tea. Use when guests arrive.', 'Seventy degrees.'),
    });
    const { folders } = await localSource({ name: 'local', root }).scan();
    const skills = folders.map((each) => ({ document: readDocument(each).document!, path: each.file }));
    const embedder = await openEmbedder(undefined, {
      modelsFolder: join(import.meta.dirname, '../../../models'),
    });
    const remarks = await checkCollisions(skills, embedder);
    expect(
      [...remarks].map(([id, { id: kind, message }]) => [id, kind, message.split(' by name')[0]]),
    ).toEqual([
      ['conventional-commits', 'description-collides', 'An agent can hardly tell it from git-commit'],
      ['git-commit', 'description-collides', 'An agent can hardly tell it from conventional-commits'],
    ]);
    expect([...(await checkCollisions(skills.slice(0, 1), embedder))]).toEqual([]);
  });
});
