/** What keyword stuffing can and cannot gain: copies of example skills, stuffed in their folders and really indexed. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { inProcessWorker } from '../../../src/catalog/indexing/worker-pool.ts';
import { Library } from '../../../src/catalog/library.ts';
import { openGateway } from '../../../src/gateway/pipeline.ts';
import { openEmbedder } from '../../../src/search/embedding/open.ts';
import { localSource } from '../../../src/sources/local.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const repository = join(import.meta.dirname, '../../..');
const examples = join(repository, 'examples/skills');

/** Requests of the shipped dataset, each with the skill that answers it and an unrelated one. */
const CASES = readFileSync(join(repository, 'bench/datasets/examples/queries.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line.includes('"style": "user"'))
  .map((line): { _id: string; text: string } => JSON.parse(line))
  .slice(0, 24);
const NAMES = readdirSync(examples).sort();

const times = (text: string, count: number) => Array.from({ length: count }, () => text).join(' ');
const quoted = (text: string) => JSON.stringify(text);

interface Recipe {
  readonly label: string;
  /** Most requests, of 24, that it may win. */
  readonly most: number;
  /** The skill file with another description; the original is in double quotes on one line. */
  readonly stuff?: (skill: string, query: string) => string;
  /** A further reference. */
  readonly reference?: (query: string) => string;
}

const RECIPES: readonly Recipe[] = [
  {
    label: 'the words of many requests in its description',
    most: 1,
    stuff: (skill) => describedAs(skill, (own) => `${own} ${CASES.map(({ text }) => text).join(' ')}`),
  },
  {
    label: 'the request ten times in its description',
    most: 2,
    stuff: (skill, query) => describedAs(skill, (own) => `${own} ${times(query, 10)}`),
  },
  {
    label: 'the words of the request as tags',
    most: 2,
    stuff: (skill, query) =>
      skill.replace(/^---\n/, `---\ntags: [${query.split(/\s+/).map(quoted).join(', ')}]\n`),
  },
  {
    label: 'a hidden section of popular words',
    most: 1,
    stuff: (skill) => `${skill}\n<!-- ${times(CASES.map(({ text }) => text).join(' '), 3)} -->\n`,
  },
  {
    label: 'the request twenty times in a hidden section',
    most: 1,
    stuff: (skill, query) => `${skill}\n<!-- ${times(query, 20)} -->\n`,
  },
  {
    // Card and body agree: nothing distinguishes it from an honest skill.
    label: 'the request in its description and in a section',
    most: 20,
    stuff: (skill, query) => `${describedAs(skill, (own) => `${own} ${query}`)}\n## More\n\n${query}\n`,
  },
  {
    label: 'the request twenty times in a reference',
    most: 1,
    reference: (query) => times(query, 20),
  },
];

function describedAs(skill: string, change: (own: string) => string): string {
  return skill.replace(/^description: "(.*)"$/m, (_, own: string) => `description: ${quoted(change(own))}`);
}

const root = temporaryFolder();
const embedder = await openEmbedder(undefined, { modelsFolder: join(repository, 'models') });
/** The catalog of examples, with one skill stuffed. */
const opened = () => {
  const directory = memoryDirectory();
  return new Library({
    sources: [localSource({ name: 'examples', root })],
    directory,
    embedder,
    vectors: 'exact',
    workers: inProcessWorker(directory, embedder),
    now: () => performance.now(),
    log: () => {},
    patienceMs: Number.POSITIVE_INFINITY,
  });
};

/** For each request the skill to stuff: one that fits least, so that it cannot be an honest answer. */
const targets = new Map<string, string>();

beforeAll(async () => {
  cpSync(examples, root, { recursive: true });
  const library = opened();
  const gateway = openGateway(library);
  for (const [at, { _id, text }] of CASES.entries()) {
    const { hits } = await gateway.search({ query: text, limit: NAMES.length });
    targets.set(_id, hits.at(-1 - (at % 3))!.entry.id);
  }
  await library.close();
});

describe.each(RECIPES)('a skill stuffed with $label', ({ stuff, reference, most }) => {
  it(`wins at most ${most} of 24 requests that it does not answer`, async () => {
    const library = opened();
    const gateway = openGateway(library);
    const first: string[] = [];
    for (const { _id, text } of CASES) {
      const name = targets.get(_id)!;
      const file = join(root, name, 'SKILL.md');
      const original = readFileSync(file, 'utf8');
      const stuffed = stuff?.(original, text) ?? original;
      if (reference === undefined) expect(stuffed).not.toBe(original);
      writeFileSync(file, stuffed);
      const stuffedReference = join(root, name, 'references', 'stuffed.md');
      if (reference !== undefined) {
        mkdirSync(join(stuffedReference, '..'), { recursive: true });
        writeFileSync(stuffedReference, reference(text));
      }
      await library.update();
      const after = await gateway.search({ query: text, limit: 5 });
      if (after.hits[0]?.entry.id === name) first.push(_id);
      writeFileSync(file, original);
      // The next update indexes it again, together with the next stuffed skill.
      rmSync(stuffedReference, { force: true });
    }
    await library.close();
    expect(first.length, first.join(' ')).toBeLessThanOrEqual(most);
  });
});
