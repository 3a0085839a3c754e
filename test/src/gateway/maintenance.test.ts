import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Directory, memoryDirectory, readManifest } from '#index';
import { type Crew, ownThread } from '../../../src/indexing/crew.ts';
import { toyEmbedder } from '../../index/toy.ts';
import { add } from '../catalog/tree.ts';
import { damage } from './sections.ts';
import { shelf, skill } from './shelf.ts';

const TWO = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
};
const SQL = { 'sql/SKILL.md': skill('sql', 'Tune queries') };
const GIT = { 'git/SKILL.md': skill('git', 'Bisect history') };

/** A crew whose merges wait for `open`. */
function slowToMerge(directory: Directory) {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const own = ownThread(directory, toyEmbedder());
  const crew: Crew = {
    ...own,
    async perform(task, advance) {
      if (task.kind === 'merge') await gate;
      return own.perform(task, advance);
    },
  };
  return { crew, open };
}

/** A watched shelf that was given a document: one of three came late, more than the fifth from which all are merged. */
async function withLateDocument(options: Parameters<typeof shelf>[1] = {}) {
  const place = shelf(TWO, options);
  const { find, root, library } = place;
  await find('forms');
  library.watched();
  await find('forms');
  add(root, SQL);
  library.notice([join(root, 'sql')]);
  expect(await find('tune queries')).toContain('sql');
  return place;
}

describe('a change', () => {
  it('is found while the index is tidied up after it, which no call waits for', async () => {
    const directory = memoryDirectory();
    const { crew, open } = slowToMerge(directory);
    // A call that waited would outlast the test.
    const { find, root, library } = await withLateDocument({ directory, crew, patienceMs: 600_000 });
    expect(readManifest(directory)!.segments).toHaveLength(2);
    add(root, GIT);
    library.notice([join(root, 'git')]);
    expect(await find('bisect history')).not.toContain('git');
    open();
    await expect.poll(() => find('bisect history')).toContain('git');
    await expect.poll(() => readManifest(directory)!.segments.length).toBe(1);
    await expect
      .poll(async () => (await library.current()).reader.manifest.generation)
      .toBe(readManifest(directory)!.generation);
    expect(await find('tune queries')).toContain('sql');
    await library.close();
  });

  it('is waited for by who waits for everything, tidying up or not', async () => {
    const { find, root, library } = await withLateDocument();
    add(root, GIT);
    library.notice([join(root, 'git')]);
    expect(await find('bisect history')).toContain('git');
    await library.close();
  });
});

describe('what another process committed', () => {
  it('while the same change waited for the lock, is taken up without a look at everything', async () => {
    const directory = memoryDirectory();
    let before = async () => {};
    const { find, root, library, done, log } = shelf(TWO, {
      directory: {
        ...directory,
        async lock(patience) {
          await before();
          return directory.lock(patience);
        },
      },
    });
    await find('forms');
    library.watched();
    await find('forms');
    const { scans } = done;
    add(root, SQL);
    const other = shelf(root, { directory });
    before = async () => {
      before = async () => {};
      await other.library.update();
    };
    library.notice([join(root, 'sql')]);
    expect(await find('tune queries')).toContain('sql');
    expect(done.scans).toBe(scans);
    expect(log).toEqual([]);
    expect(readManifest(directory)!.generation).toBe(
      (await other.library.current()).reader.manifest.generation,
    );
  });

  it('is answered from where its own upkeep finds nothing left to do', async () => {
    const other = shelf(TWO);
    await other.library.update();
    const upkeep = { run: async () => null, close: async () => {} };
    const { find, library } = shelf(other.root, { directory: other.directory, upkeep, patienceMs: 0 });
    await find('forms');
    add(other.root, SQL);
    await other.library.update();
    library.notice();
    await expect.poll(() => find('tune queries')).toContain('sql');
    await library.close();
  });

  it('and is damaged, is made again with one message while the present snapshot answers', async () => {
    const other = shelf(TWO);
    await other.library.update();
    const { directory, root } = other;
    const { find, library, clock, log, done } = shelf(root, { directory });
    await find('forms');
    add(root, SQL);
    await other.library.update();
    const name = readManifest(directory)!.segments.at(-1)!.name;
    damage(directory, name, 'vectors.documents');
    clock.ms = 1_000;
    expect(await find('tune queries')).toContain('sql');
    expect(log).toEqual([expect.stringMatching(/^The index is made again: .*damaged/s)]);
    expect(directory.list()).not.toContain(name);
    await library.close();
    expect(done.openFiles).toBe(0);
  });
});
