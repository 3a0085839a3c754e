import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Directory, readWhole, writeWhole } from '../../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../../index/directory/memory.ts';
import { IndexError } from '../../../../index/errors.ts';
import { readManifest } from '../../../../index/manifest.ts';
import { Reader } from '../../../../index/reader/reader.ts';
import { indexDirectory } from '../../../../src/catalog/index-directory.ts';
import { runIndexing } from '../../../../src/catalog/indexing/run.ts';
import { inProcessWorker } from '../../../../src/catalog/indexing/worker-pool.ts';
import { readSummary } from '../../../../src/catalog/stored-summary.ts';
import { search } from '../../../../src/search/search.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { readCatalog } from '../../../../src/sources/scan/catalog.ts';
import { toyEmbedder } from '../../../index/toy.ts';
import { examples } from '../../../thorough.ts';
import { add, plant, type Tree } from '../../sources/scan/tree.ts';
import { skill } from './workshop.ts';

/** Skills of a user at `home`, and directories for the index of them and for those of projects. */
function user(home: Tree, { shared = memoryDirectory() }: { readonly shared?: Directory } = {}) {
  const root = plant({ ...home, kept: null });
  const embedder = toyEmbedder();
  const atHome = localSource({ name: 'home', root });
  return {
    root,
    shared,
    embedder,
    /** A project with these skills; `alone` indexes all skills for itself. */
    project(tree: Tree | string, directory = memoryDirectory()) {
      const own = typeof tree === 'string' ? tree : plant({ ...tree, kept: null });
      const sources = [localSource({ name: 'own', root: own }), atHome];
      const run = async (alone = false) =>
        runIndexing(await readCatalog(sources), {
          directory,
          embedder,
          vectors: 'auto',
          workers: inProcessWorker(directory, embedder),
          now: () => 0,
          ...(!alone && {
            shared: {
              directory: shared,
              sources: new Set(['home']),
              catalog: () => readCatalog([atHome]),
              workers: inProcessWorker(shared, embedder),
            },
          }),
        });
      const open = () => Reader.open(directory, { embedder })!;
      return { own, directory, run, open, keys: () => [...openKeys(open())].sort() };
    },
  };
}

function openKeys(reader: Reader): string[] {
  const keys = Array.from(reader.ordinalsByKey(), (ordinal) => reader.key(ordinal));
  reader.close();
  return keys;
}

/** Everything that a search says, but for times and ordinals. */
async function answers(reader: Reader, embedder: ReturnType<typeof toyEmbedder>, queries: readonly string[]) {
  const precedence = new Map([
    ['own', 0],
    ['home', 1],
  ]);
  const found = [];
  for (const query of queries) {
    const answer = await search({ query, limit: 20 }, { reader, embedder, now: () => 0, precedence });
    const { hits, fit, weak } = answer;
    found.push({
      query,
      fit,
      weak,
      hits: hits.map(({ entry, score, evidence }) => ({ id: entry.id, score, evidence })),
    });
  }
  return found;
}

const WORDS = [
  'pdf',
  'forms',
  'table',
  'deploy',
  'cluster',
  'review',
  'invoice',
  'chart',
  'translate',
  'audio',
];
const home = Object.fromEntries(
  WORDS.map((word, at) => [
    `${word}/SKILL.md`,
    skill(word, `Handles ${word} and ${WORDS[(at + 3) % WORDS.length]}`, `tags: [t${at % 3}]\n`),
  ]),
);

describe('an index that continues a shared one', () => {
  it('reads and embeds only the skills of its own project', async () => {
    const { project, embedder } = user(home);
    await project({ 'a/SKILL.md': skill('a', 'First') }).run();
    embedder.embedded.length = 0;
    const second = project({ 'b/SKILL.md': skill('b', 'Second') });
    expect(await second.run()).toMatchObject({ skills: 11, added: 11, kept: 0 });
    expect(embedder.embedded.length).toBeGreaterThan(0);
    expect(embedder.embedded.every((text) => /second/i.test(text))).toBe(true);
    expect(second.keys()).toEqual([...WORDS, 'b'].sort());
    // The next start finds nothing to do.
    expect(await second.run()).toMatchObject({ generation: 1, added: 0, kept: 11 });
  });

  it('takes no more of the disk than its own skills', async () => {
    const { project, shared } = user(home, { shared: indexDirectory(join(plant({}), 'shared')) });
    const folder = join(plant({}), 'index');
    const { directory, run } = project({ 'b/SKILL.md': skill('b', 'Second') }, indexDirectory(folder));
    await run();
    const [first, own] = readManifest(directory)!.segments;
    const [base] = readManifest(shared)!.segments;
    expect(first).toMatchObject({ name: base!.name, documents: 10, shared: true });
    expect(own).toMatchObject({ documents: 1 });
    expect(statSync(join(folder, first!.name)).nlink).toBe(2);
    expect(statSync(join(folder, own!.name)).nlink).toBe(1);
  });

  it('answers as an index of the same skills that was built alone, whatever was shared and changed since', async () => {
    const word = fc.constantFrom(...WORDS);
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    const skills = fc.dictionary(word, text, { maxKeys: 6 });
    const property = fc.asyncProperty(
      skills,
      skills,
      skills,
      text,
      async (atHome, ofProject, later, query) => {
        const treeOf = (found: Record<string, string>): Tree =>
          Object.fromEntries(
            Object.entries(found).map(([name, about]) => [`${name}/SKILL.md`, skill(name, about)]),
          );
        // One skill stays: an index without any shared one is as every index that was changed.
        const { root, project, embedder } = user({
          ...treeOf(atHome),
          'kept/SKILL.md': skill('kept', 'Stays'),
        });
        const { own, run, open } = project(treeOf(ofProject));
        await run();
        add(root, treeOf(later));
        rmSync(join(root, Object.keys(atHome)[0] ?? 'none'), { recursive: true, force: true });
        await run();
        const alone = project(own);
        await alone.run(true);
        const queries = [query, ...WORDS];
        const [mine, whole] = [open(), alone.open()];
        expect(await answers(mine, embedder, queries)).toEqual(await answers(whole, embedder, queries));
        // Nor does somebody see a difference who may see the shared skills alone.
        const atHomeOf = (reader: Reader) => reader.restrictedTo(reader.accept([['source:home']]));
        expect(await answers(atHomeOf(mine), embedder, queries)).toEqual(
          await answers(atHomeOf(whole), embedder, queries),
        );
        mine.close();
        whole.close();
      },
    );
    await fc.assert(property, { numRuns: examples(20) });
  });

  it('holds both of two skills with one id, and leaves the shared index as it is', async () => {
    const { project, shared, embedder } = user(home);
    const { run, keys } = project({ 'pdf/SKILL.md': skill('pdf', 'Ours') });
    await run();
    expect(keys()).toEqual([...WORDS.filter((word) => word !== 'pdf'), 'home:pdf', 'own:pdf'].sort());
    expect(openKeys(Reader.open(shared, { embedder })!)).toEqual([...WORDS].sort());
  });

  it('indexes what changed at home by itself while that is little, and takes over the shared index again once it is much', async () => {
    const { root, project, shared } = user(home);
    const { run, directory } = project({ 'b/SKILL.md': skill('b', 'Second') });
    await run();
    const [first] = readManifest(directory)!.segments;
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Reads scans') });
    expect(await run()).toMatchObject({ changed: 1, kept: 10 });
    expect(readManifest(directory)!.segments[0]).toMatchObject({
      name: first!.name,
      dead: [expect.any(Number)],
    });
    expect(readManifest(shared)!.generation).toBe(1);
    const update = Object.fromEntries(
      WORDS.slice(0, 6).map((word) => [`${word}/SKILL.md`, skill(word, 'New')]),
    );
    add(root, update);
    expect(await run()).toMatchObject({ changed: 6, kept: 5, added: 0, removed: 0 });
    const base = readManifest(shared)!.segments;
    expect(
      readManifest(directory)!
        .segments.slice(0, base.length)
        .map(({ name }) => name),
    ).toEqual(base.map(({ name }) => name));
  });

  it('is whole without the shared one: it may be deleted at any time', async () => {
    const { project, shared } = user(home, { shared: indexDirectory(join(plant({}), 'shared')) });
    const { run, keys, own } = project(
      { 'b/SKILL.md': skill('b', 'Second') },
      indexDirectory(join(plant({}), 'index')),
    );
    await run();
    for (const name of shared.list()) shared.remove(name);
    expect(keys()).toEqual([...WORDS, 'b'].sort());
    expect(await run()).toMatchObject({ generation: 1, kept: 11 });
    add(own, { 'c/SKILL.md': skill('c', 'Third') });
    expect(await run()).toMatchObject({ added: 1, kept: 11 });
    expect(shared.list()).toEqual([]);
  });

  it('is rebuilt where it is damaged, together with the shared one, which has the same file', async () => {
    const { project, shared } = user(home, { shared: indexDirectory(join(plant({}), 'shared')) });
    const { run, directory, keys } = project(
      { 'b/SKILL.md': skill('b', 'Second') },
      indexDirectory(join(plant({}), 'index')),
    );
    await run();
    const { name } = readManifest(shared)!.segments[0]!;
    writeWhole(shared, name, readWhole(shared, name).fill(7, 0, 600).fill(7, -600));
    for (const at of directory.list()) directory.remove(at);
    expect(await run()).toMatchObject({ skills: 11 });
    expect(keys()).toEqual([...WORDS, 'b'].sort());
    expect(readManifest(shared)!.segments[0]!.name).not.toBe(name);
  });

  it('indexes everything by itself where the shared one cannot be written', async () => {
    const shared = memoryDirectory();
    const broken: Directory = {
      ...shared,
      lock: () => Promise.reject(new IndexError('INDEX_LOCKED', 'Another process writes it.')),
    };
    const { project } = user(home, { shared: broken });
    const { run, keys, directory } = project({ 'b/SKILL.md': skill('b', 'Second') });
    expect(await run()).toMatchObject({ added: 11 });
    expect(keys()).toEqual([...WORDS, 'b'].sort());
    expect(readManifest(directory)!.segments.some(({ shared: isShared }) => isShared)).toBe(false);
  });

  it('begins with the summary of the shared one, as one of an earlier generation, unless much is added', async () => {
    const { project, shared } = user(home);
    const few = project({});
    await few.run();
    expect(readSummary(few.directory)?.summary).toEqual({ ...readSummary(shared)?.summary, generation: 0 });
    const many = project({ 'b/SKILL.md': skill('b', 'Second'), 'c/SKILL.md': skill('c', 'Third') });
    await many.run();
    expect(readSummary(many.directory)?.summary).toMatchObject({ skills: 12, generation: 1 });
  });

  it('makes none where there is nothing to share', async () => {
    const { project, shared } = user({});
    await project({ 'b/SKILL.md': skill('b', 'Second') }).run();
    expect(shared.list()).toEqual([]);
  });
});
