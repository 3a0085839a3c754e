import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Directory, readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { IndexError } from '../../../index/errors.ts';
import { search } from '../../../src/search/search.ts';
import { toyEmbedder } from '../../index/toy.ts';
import { sectionsOf } from '../gateway/sections.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';
import { add } from '../sources/scan/tree.ts';

const TWO = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
};

/** Two indexed skills, and a background indexer for another library: each of its runs first adds a skill. */
async function withBackground() {
  const other = testLibrary(TWO);
  await other.library.update();
  let count = 0;
  const background = {
    async run() {
      count += 1;
      add(other.root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
      return other.library.update();
    },
    async close() {},
  };
  return { other, background, runs: () => count };
}

describe('the first call', () => {
  it('builds a missing index once for all concurrent calls', async () => {
    const { find, done } = testLibrary(TWO);
    const found = await Promise.all([find('forms'), find('tables'), find('forms')]);
    expect(found.map(([first]) => first)).toEqual(['pdf', 'csv', 'pdf']);
    expect(done).toMatchObject({ scans: 1, locks: 1 });
  });

  it('uses an up-to-date index without a lock or an embedding', async () => {
    const first = testLibrary(TWO);
    await first.library.update();
    const second = testLibrary(first.root, { directory: first.directory });
    expect((await second.find('forms'))[0]).toBe('pdf');
    expect(second.done).toMatchObject({ scans: 1, locks: 0 });
    expect(second.embedder.embedded).toEqual([]);
    expect(second.log).toEqual([]);
  });
});

describe('what changed while no server ran', () => {
  it('is in the first answer, or the answer says that the folders have not been checked', async () => {
    const first = testLibrary(TWO);
    await first.library.update();
    add(first.root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const options = { directory: first.directory, patienceMs: 1, gate: () => gate };
    const { library, find } = testLibrary(first.root, options);
    const note = async () =>
      (await search({ query: 'tune queries', limit: 3 }, await library.current())).retrieval.note;
    expect(await find('tune queries')).not.toContain('sql');
    expect(await note()).toMatch(/still being checked/);
    open();
    await expect.poll(() => find('tune queries')).toContain('sql');
    expect(await note()).toBeUndefined();
  });
});

describe('between calls', () => {
  it('checks the folders at most once a second, and then finds a saved file', async () => {
    const { find, clock, done, root } = testLibrary(TWO);
    await find('forms');
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    clock.ms = 999;
    expect(await find('tune queries')).not.toContain('sql');
    expect(done.scans).toBe(1);
    clock.ms = 1_000;
    expect((await find('tune queries'))[0]).toBe('sql');
    expect(done.scans).toBe(2);
    rmSync(join(root, 'sql'), { recursive: true });
    clock.ms = 2_000;
    expect(await find('tune queries')).not.toContain('sql');
  });

  it('answers from the present snapshot where a check takes longer than the patience', async () => {
    let open = () => {};
    let gate = Promise.resolve();
    const { find, clock, root } = testLibrary(TWO, { patienceMs: 1, gate: () => gate });
    await find('forms');
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    gate = new Promise((resolve) => {
      open = resolve;
    });
    clock.ms = 1_000;
    expect(await find('tune queries')).not.toContain('sql');
    open();
    await expect.poll(() => find('tune queries')).toContain('sql');
  });

  it('runs a check that no call waits for in the background, and then answers from its result', async () => {
    const { other, background, runs } = await withBackground();
    // A check of two skills is expected to take 0.1 ms: longer than nothing.
    const options = { directory: other.directory, background, patienceMs: 0 };
    const { find, done } = testLibrary(other.root, options);
    expect(await find('tune queries')).not.toContain('sql');
    await expect.poll(() => find('tune queries')).toContain('sql');
    expect(runs()).toBeGreaterThan(0);
    expect(done.scans).toBe(0);
  });

  it('makes one check that no call waits for, however many calls come during it', async () => {
    const first = testLibrary(TWO);
    await first.library.update();
    let runs = 0;
    let finish = () => {};
    const background = {
      run() {
        runs += 1;
        return new Promise<null>((resolve) => {
          finish = () => resolve(null);
        });
      },
      async close() {},
    };
    const options = { directory: first.directory, background, patienceMs: 0 };
    const { find, gateway } = testLibrary(first.root, options);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await find('forms');
      await vi.runAllTimersAsync();
      expect(runs).toBe(1);
      await find('forms');
      await gateway.list({ limit: 1 });
      finish();
      await vi.runAllTimersAsync();
      // Nothing is due: a list that asks for fresh answers does not wait for a slow check, so none is made for it.
      await gateway.list({ limit: 1 });
      await vi.runAllTimersAsync();
      expect(runs).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps an older snapshot readable, notifies of the new one, and closes both when closed', async () => {
    const { find, clock, root, library, done } = testLibrary(TWO);
    await find('forms');
    const { reader: old } = await library.current();
    const generations: number[] = [];
    const stop = library.onChange((generation) => generations.push(generation));
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts') });
    clock.ms = 1_000;
    await find('sign');
    // The change, and the merge of segments that follows it.
    expect(generations).toEqual([2, 3]);
    expect((await library.current()).reader.manifest.generation).toBe(3);
    expect(old.payload(old.resolve('pdf')[0]!)).toMatchObject({ description: 'Fill in forms' });
    stop();
    expect(done.openFiles).toBeGreaterThan(1);
    await library.close();
    expect(done.openFiles).toBe(0);
  });

  it('keeps answering where a check fails, and logs it once', async () => {
    const inner = memoryDirectory();
    let locked = false;
    const directory: Directory = {
      ...inner,
      async lock(patience) {
        if (locked) throw new IndexError('INDEX_LOCKED', 'Somebody else is writing.');
        return inner.lock(patience);
      },
    };
    const { find, clock, root, log } = testLibrary(TWO, { directory });
    await find('forms');
    locked = true;
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    for (clock.ms = 1_000; clock.ms < 4_000; clock.ms += 1_000) expect((await find('forms'))[0]).toBe('pdf');
    expect(log).toEqual(['The skills could not be checked for changes: Somebody else is writing.']);
    locked = false;
    expect((await find('tune queries'))[0]).toBe('sql');
  });
});

describe('with a watcher', () => {
  it('checks once more when the watcher is ready, then only after a notice', async () => {
    const { find, clock, done, root, library } = testLibrary(TWO);
    await find('forms');
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    library.watcherReady();
    clock.ms = 1_000;
    expect((await find('tune queries'))[0]).toBe('sql');
    const { scans } = done;
    add(root, { 'git/SKILL.md': skill('git', 'Bisect history') });
    clock.ms = 100_000;
    expect(await find('bisect')).not.toContain('git');
    expect(done.scans).toBe(scans);
    library.notice();
    expect((await find('bisect'))[0]).toBe('git');
  });

  it('checks at once when the watcher is ready and when it is lost, even for a slow catalog', async () => {
    const slow = { ms: 0 };
    const { find, clock, root, library } = testLibrary(TWO, {
      gate: async () => {
        clock.ms += slow.ms;
      },
    });
    await find('forms');
    slow.ms = 500;
    clock.ms = 1_000;
    // This check takes 500 ms: without a watcher the next one would begin 500 / 0.05 = 10,000 ms after its beginning.
    await find('forms');
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    library.watcherReady();
    expect((await find('tune queries'))[0]).toBe('sql');
    add(root, { 'git/SKILL.md': skill('git', 'Bisect history') });
    library.watcherLost();
    expect((await find('bisect history'))[0]).toBe('git');
  });

  it('leaves a check that no call waits for to a starting watcher, whether that succeeds or not', async () => {
    for (const watches of [true, false]) {
      const { other, background, runs } = await withBackground();
      const { find, library } = testLibrary(other.root, {
        directory: other.directory,
        background,
        patienceMs: 0,
      });
      library.watcherStarting();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        expect(await find('tune queries')).not.toContain('sql');
        await vi.runAllTimersAsync();
      } finally {
        vi.useRealTimers();
      }
      expect({ runs: runs(), isWatched: library.isWatched }).toEqual({ runs: 0, isWatched: false });
      if (watches) library.watcherReady();
      else library.watcherLost();
      await expect.poll(() => find('tune queries')).toContain('sql');
      expect({ runs: runs(), isWatched: library.isWatched }).toEqual({ runs: 1, isWatched: watches });
      await library.close();
    }
  });

  it('checks only the paths of a notice, and everything where that is not enough', async () => {
    const { find, done, root, library, embedder } = testLibrary(TWO);
    await find('forms');
    library.watcherReady();
    library.notice();
    await find('forms');
    const { scans } = done;
    embedder.embedded.length = 0;
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    library.notice([join(root, 'sql')]);
    expect((await find('tune queries'))[0]).toBe('sql');
    expect(done.scans).toBe(scans);
    expect(embedder.embedded.some((text) => /forms/.test(text))).toBe(false);
    rmSync(join(root, 'sql'), { recursive: true });
    library.notice([join(root, 'sql')]);
    expect(await find('tune queries')).not.toContain('sql');
    expect(done.scans).toBe(scans);
    add(root, { 'SKILL.md': skill('all', 'Everything there is') });
    library.notice([join(root, 'SKILL.md')]);
    await expect.poll(() => find('everything there is')).toHaveLength(3);
    expect(done.scans).toBe(scans + 1);
  });

  it('ignores a notice before the first call', async () => {
    const { library, done, find } = testLibrary(TWO);
    library.notice();
    expect(done).toMatchObject({ scans: 0, locks: 0 });
    expect((await find('forms'))[0]).toBe('pdf');
  });

  it('loses no notice during a run', async () => {
    let open = () => {};
    let gate = Promise.resolve();
    const { find, clock, root, library } = testLibrary(TWO, { gate: () => gate });
    await find('forms');
    library.watcherReady();
    clock.ms = 1_000;
    await find('forms');
    gate = new Promise((resolve) => {
      open = resolve;
    });
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    const running = library.update();
    // The run is held at its scan, so this notice comes after its begin.
    library.notice();
    open();
    await running;
    add(root, { 'git/SKILL.md': skill('git', 'Bisect history') });
    library.notice();
    expect(await find('bisect history')).toContain('git');
    expect(await find('tune queries')).toContain('sql');
  });
});

describe('an index that cannot be served', () => {
  const segmentOf = (directory: Directory) => directory.list().find((name) => name.endsWith('.segment'))!;

  it('of another model is rebuilt, with one message for all concurrent calls', async () => {
    const first = testLibrary(TWO, { embedder: toyEmbedder('other') });
    await first.library.update();
    const second = testLibrary(first.root, { directory: first.directory });
    await Promise.all([second.find('forms'), second.find('tables')]);
    expect(second.log).toHaveLength(1);
    expect(second.log[0]).toMatch(/made with the model other.*rebuilt/s);
  });

  it('damaged in any section is rebuilt or not read: the answer stays right', async () => {
    const sound = testLibrary(TWO);
    await sound.library.update();
    const name = segmentOf(sound.directory);
    const whole = readWhole(sound.directory, name);
    const contents = sectionsOf(sound.directory, name);
    expect(contents.length).toBeGreaterThan(15);
    let remade = 0;
    for (const { section, offset, bytes } of contents) {
      const directory = copyOf(sound.directory);
      const flipped = whole.slice();
      flipped[offset + Math.floor(bytes / 2)]! ^= 0xff;
      writeWhole(directory, name, flipped);
      const damaged = testLibrary(sound.root, { directory });
      expect((await damaged.find('fill in forms'))[0], section).toBe('pdf');
      const loaded = await damaged.gateway.load({ skill: 'csv' });
      expect(loaded.instructions.text, section).toContain('Clean messy tables');
      expect((await damaged.gateway.summary()).skills, section).toBe(2);
      if (damaged.log.length > 0) {
        remade += 1;
        expect(damaged.log, section).toEqual([expect.stringMatching(/The index is rebuilt\.$/)]);
        expect(segmentOf(directory), section).not.toBe(name);
      }
      await damaged.library.close();
    }
    expect(remade).toBeGreaterThan(contents.length / 2);
  });

  it('without one of its files is rebuilt', async () => {
    const sound = testLibrary(TWO);
    await sound.library.update();
    sound.directory.remove(segmentOf(sound.directory));
    const second = testLibrary(sound.root, { directory: sound.directory });
    expect((await second.find('forms'))[0]).toBe('pdf');
    expect(second.log).toHaveLength(1);
  });
});

function copyOf(directory: Directory): Directory {
  const copy = memoryDirectory();
  for (const name of directory.list()) writeWhole(copy, name, readWhole(directory, name));
  return copy;
}
