import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { checkCollisions } from '../../../src/authoring/collision-remarks.ts';
import { openEmbedder } from '../../../src/search/embedding/open.ts';
import { readDocument } from '../../../src/search/passages/document.ts';
import { localSource } from '../../../src/sources/local.ts';
import { readCatalog } from '../../../src/sources/scan/catalog.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

it("finds the skills that an agent could not tell apart, and names each one's closest", async () => {
  folder = temporaryFolder();
  const write = (name: string, description: string, body: string) => {
    mkdirSync(join(folder!, name));
    writeFileSync(
      join(folder!, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`,
    );
  };
  write(
    'git-commit',
    'Writes git commit messages by the Conventional Commits format. Use when changes are to be committed.',
    'Read the diff first.',
  );
  write(
    'conventional-commits',
    'Writes git commit messages by the Conventional Commits specification. Use when changes are to be committed.',
    'Types: feat, fix, docs.',
  );
  write('tea', 'Boils water for green tea. Use when guests arrive.', 'Seventy degrees.');
  const { folders } = await readCatalog([localSource({ name: 'local', root: folder })]);
  const skills = folders.map((each) => ({ document: readDocument(each).document!, path: each.file }));
  const embedder = await openEmbedder(undefined, {
    modelsFolder: join(import.meta.dirname, '../../../models'),
  });
  const remarks = await checkCollisions(skills, embedder);
  expect([...remarks].map(([id, { id: kind, message }]) => [id, kind, message.split(' by name')[0]])).toEqual(
    [
      ['conventional-commits', 'description-collides', 'An agent can hardly tell it from git-commit'],
      ['git-commit', 'description-collides', 'An agent can hardly tell it from conventional-commits'],
    ],
  );
  expect([...(await checkCollisions(skills.slice(0, 1), embedder))]).toEqual([]);
});
