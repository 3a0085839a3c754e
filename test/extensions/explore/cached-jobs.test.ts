import { describe, expect, it, vi } from 'vitest';
import { CachedJobs } from '../../../extensions/explore/cached-jobs.ts';
import { type Perform, performHere } from '../../../extensions/explore/work.ts';
import { readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

const TREE = {
  'one/SKILL.md': skill('one', 'Merge pdf files'),
  'two/SKILL.md': skill('two', 'Sign pdf files'),
};

/** Counts what it performs. */
function counting() {
  const performed: (readonly string[] | null)[] = [];
  const perform: Perform = (kind, index, visible, onProgress) => {
    performed.push(visible);
    return performHere(kind, index, visible, onProgress);
  };
  return { performed, perform };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 100_000 });

describe('CachedJobs', () => {
  it('performs work once, and keeps it next to the index for the same skills', async () => {
    const { library } = testLibrary(TREE);
    const index = await library.current();
    const directory = memoryDirectory();
    const { performed, perform } = counting();
    const first = new CachedJobs({ perform, directory, log: () => {} });
    expect(first.progressOf('map', index, true)).toEqual({ state: 'working', share: 0 });
    await until(() => expect(first.progressOf('map', index, true).state).toBe('done'));
    const again = new CachedJobs({ perform, directory, log: () => {} });
    expect(again.progressOf('map', index, true)).toMatchObject(
      JSON.parse(JSON.stringify(first.progressOf('map', index, true))),
    );
    expect(performed).toEqual([null]);
    // That of other skills takes its place.
    const other = await testLibrary({ 'one/SKILL.md': TREE['one/SKILL.md'] }).library.current();
    const [file] = directory.list();
    await until(() => expect(again.progressOf('map', other, true).state).toBe('done'));
    expect(directory.list()).toHaveLength(1);
    expect(directory.list()).not.toEqual([file]);
  });

  it('makes the work of a restricted view from its own skills, and stores it nowhere', async () => {
    const { library } = testLibrary(TREE);
    const whole = await library.current();
    const reader = whole.reader.restrictedTo(Uint8Array.of(1, 0));
    const directory = memoryDirectory();
    const { performed, perform } = counting();
    const jobs = new CachedJobs({ perform, directory, log: () => {} });
    jobs.progressOf('map', { ...whole, reader }, false);
    await until(() => expect(jobs.progressOf('map', { ...whole, reader }, false).state).toBe('done'));
    expect(performed).toEqual([['one']]);
    expect(directory.list()).toEqual([]);
    expect(jobs.progressOf('map', { ...whole, reader }, false)).toMatchObject({
      result: { rests: ['one'] },
    });
  });

  it('says that work failed, logs why, and goes on with other work', async () => {
    const index = await testLibrary(TREE).library.current();
    const log: string[] = [];
    const perform: Perform = async (kind, given, visible, onProgress) => {
      if (kind === 'map') throw new Error('no memory');
      return performHere(kind, given, visible, onProgress);
    };
    const jobs = new CachedJobs({ perform, directory: null, log: (message) => log.push(message) });
    jobs.progressOf('map', index, true);
    jobs.progressOf('collisions', index, true);
    await until(() => expect(jobs.progressOf('collisions', index, true).state).toBe('done'));
    expect(jobs.progressOf('map', index, true)).toMatchObject({ state: 'failed' });
    expect(log.join()).toContain('no memory');
  });

  it.each(['', 'null', 'half'])('makes again what is stored as %j', async (text) => {
    const index = await testLibrary(TREE).library.current();
    const directory = memoryDirectory();
    const { performed, perform } = counting();
    const made = () => {
      const jobs = new CachedJobs({ perform, directory, log: () => {} });
      return until(() => expect(jobs.progressOf('map', index, true).state).toBe('done'));
    };
    await made();
    const [file] = directory.list();
    const bytes = readWhole(directory, file!);
    writeWhole(directory, file!, text === 'half' ? bytes.subarray(0, bytes.length / 2) : Buffer.from(text));
    await made();
    expect(performed).toHaveLength(2);
  });
});
