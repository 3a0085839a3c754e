import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Directory } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { readManifest } from '../../../index/manifest.ts';
import { inProcessWorker, type WorkerPool } from '../../../src/catalog/indexing/worker-pool.ts';
import { toyEmbedder } from '../../index/toy.ts';
import { damage } from '../gateway/sections.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';
import { add } from '../sources/scan/tree.ts';

const TWO = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
};
const SQL = { 'sql/SKILL.md': skill('sql', 'Tune queries') };
const GIT = { 'git/SKILL.md': skill('git', 'Bisect history') };

/** A worker pool whose merges wait for `open`. */
function slowToMerge(directory: Directory) {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const own = inProcessWorker(directory, toyEmbedder());
  const workers: WorkerPool = {
    ...own,
    async perform(task, advance) {
      if (task.kind === 'merge') await gate;
      return own.perform(task, advance);
    },
  };
  return { workers, open };
}

/** A watched library with one late document of three: more than a fifth, from which on all segments are merged. */
async function withLateDocument(options: Parameters<typeof testLibrary>[1] = {}) {
  const place = testLibrary(TWO, options);
  const { find, root, library } = place;
  await find('forms');
  library.watcherReady();
  await find('forms');
  add(root, SQL);
  library.notice([join(root, 'sql')]);
  expect(await find('tune queries')).toContain('sql');
  return place;
}

describe('a change', () => {
  it('is found while the index is compacted, which no call waits for', async () => {
    const directory = memoryDirectory();
    const { workers, open } = slowToMerge(directory);
    // A call that waited would outlast the test.
    const { find, root, library } = await withLateDocument({ directory, workers, patienceMs: 600_000 });
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
  });

  it('that a check of everything finds is served before the segments are merged', async () => {
    const directory = memoryDirectory();
    const { workers, open } = slowToMerge(directory);
    const { find, root, library } = testLibrary(TWO, { directory, workers, patienceMs: 100 });
    await find('forms');
    add(root, SQL);
    library.notice();
    await expect.poll(() => find('tune queries')).toContain('sql');
    expect(readManifest(directory)!.segments).toHaveLength(2);
    expect(library.changes.status()).toMatchObject({ pending: 0 });
    open();
    await expect.poll(() => readManifest(directory)!.segments.length).toBe(1);
  });

  it('during the first run after a start is served without a call', async () => {
    const directory = memoryDirectory();
    const own = inProcessWorker(directory, toyEmbedder());
    let during = () => {};
    const workers: WorkerPool = {
      ...own,
      async perform(task, advance) {
        during();
        return own.perform(task, advance);
      },
    };
    const { root, library } = testLibrary(TWO, { directory, workers });
    during = () => {
      during = () => {};
      add(root, SQL);
      library.notice([join(root, 'sql')]);
    };
    expect((await library.current()).reader.documents).toBe(2);
    await expect.poll(() => readManifest(directory)!.generation).toBeGreaterThan(1);
    await expect
      .poll(() => library.changes.status())
      .toEqual({ seen: 1, committed: 1, pending: 0, pendingMs: 0 });
    expect((await library.current()).reader.documents).toBe(3);
  });

  it('is not lost where another run, which began before it, is active once everything is read', async () => {
    const gates = { scan: Promise.resolve(), lock: Promise.resolve() };
    const closed = (name: keyof typeof gates) => {
      let open = () => {};
      gates[name] = new Promise<void>((resolve) => {
        open = resolve;
      });
      return open;
    };
    const inner = memoryDirectory();
    const directory: Directory = {
      ...inner,
      async lock(patience) {
        await gates.lock;
        return inner.lock(patience);
      },
    };
    const { find, root, library, done } = testLibrary(TWO, { directory, gate: () => gates.scan });
    await find('forms');
    const openScan = closed('scan');
    library.notice();
    await expect.poll(() => done.scans).toBe(2);
    gates.scan = Promise.resolve();
    const openLock = closed('lock');
    add(root, GIT);
    const run = library.update();
    await expect.poll(() => done.scans).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    add(root, SQL);
    openScan();
    await new Promise((resolve) => setTimeout(resolve, 50));
    openLock();
    await run;
    await expect.poll(() => find('tune queries')).toContain('sql');
  });

  it('is awaited by a call with unlimited patience, also while the index is compacted', async () => {
    const { find, root, library } = await withLateDocument();
    add(root, GIT);
    library.notice([join(root, 'git')]);
    expect(await find('bisect history')).toContain('git');
  });
});

describe('what another process committed', () => {
  it('while the same change waited for the lock, is adopted without a full check', async () => {
    const directory = memoryDirectory();
    let before = async () => {};
    const { find, root, library, done, log } = testLibrary(TWO, {
      directory: {
        ...directory,
        async lock(patience) {
          await before();
          return directory.lock(patience);
        },
      },
    });
    await find('forms');
    library.watcherReady();
    await find('forms');
    const { scans } = done;
    add(root, SQL);
    const other = testLibrary(root, { directory });
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

  it('is adopted where the library’s own background run finds nothing to do', async () => {
    const other = testLibrary(TWO);
    await other.library.update();
    const background = { run: async () => null, close: async () => {} };
    const { find, library } = testLibrary(other.root, {
      directory: other.directory,
      background,
      patienceMs: 0,
    });
    await find('forms');
    add(other.root, SQL);
    await other.library.update();
    library.notice();
    await expect.poll(() => find('tune queries')).toContain('sql');
  });

  it('and is damaged, is rebuilt with one message while the present snapshot answers', async () => {
    const other = testLibrary(TWO);
    await other.library.update();
    const { directory, root } = other;
    const { find, library, clock, log, done } = testLibrary(root, { directory });
    await find('forms');
    add(root, SQL);
    await other.library.update();
    const name = readManifest(directory)!.segments.at(-1)!.name;
    damage(directory, name, 'vectors.documents');
    clock.ms = 1_000;
    expect(await find('tune queries')).toContain('sql');
    expect(log).toEqual([expect.stringMatching(/^The index is rebuilt: .*damaged/s)]);
    expect(directory.list()).not.toContain(name);
    await library.close();
    expect(done.openFiles).toBe(0);
  });
});
