import { describe, expect, it } from 'vitest';
import { IndexError } from '../../../index/errors.ts';
import { type Warmable, warming } from '../../../src/app/freshness.ts';

/** A library whose calls fail with these errors in turn, and then succeed. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  const done: string[] = [];
  const library = {
    isOpen: false,
    async current() {
      done.push('current');
      const error = left.shift();
      if (error !== undefined) throw error;
      library.isOpen = true;
      return { reader: { readVectors: () => done.push('readVectors') } };
    },
    async rebuild(error: Error) {
      done.push(`rebuild ${error.message}`);
    },
    notice() {},
  };
  // Implements only the members that `warming` uses.
  return { library: library as unknown as Warmable, done, open: () => (library.isOpen = true) };
}

/** Warms it; each wait between two tries ends with `next`. */
function warm(opened: Promise<Warmable>, ending = new AbortController()) {
  const log: string[] = [];
  const waits: number[] = [];
  let next = () => {};
  const notReady = warming(opened, {
    log: (message) => log.push(message),
    signal: ending.signal,
    wait: (ms) =>
      new Promise<void>((resolve) => {
        waits.push(ms);
        next = resolve;
      }),
  });
  return { notReady, log, waits, next: () => next() };
}

const locked = () => new IndexError('INDEX_LOCKED', 'Somebody else is writing.');

describe('warming', () => {
  it('reads what a search needs, and is ready', async () => {
    const { library, done } = failing();
    const { notReady, log } = warm(Promise.resolve(library));
    expect(notReady()).toBe('The index is being opened.');
    await expect.poll(notReady).toBeNull();
    expect(done).toEqual(['current', 'readVectors']);
    expect(log).toEqual([]);
  });

  it('retries with doubled delays, logs the reason once, and is ready when it succeeds', async () => {
    const { library } = failing(locked(), locked());
    const { notReady, log, waits, next } = warm(Promise.resolve(library));
    await expect.poll(() => waits).toEqual([1_000]);
    expect(notReady()).toBe('The index could not be opened; the log says why.');
    next();
    await expect.poll(() => waits).toEqual([1_000, 2_000]);
    next();
    await expect.poll(notReady).toBeNull();
    expect(log).toEqual(['The index could not be opened: Somebody else is writing.']);
  });

  it('is ready as soon as any call opens the index', async () => {
    const { library, open } = failing(locked());
    const { notReady, waits } = warm(Promise.resolve(library));
    await expect.poll(() => waits).toHaveLength(1);
    open();
    expect(notReady()).toBeNull();
  });

  it('rebuilds a damaged index', async () => {
    const { library, done } = failing(new IndexError('INDEX_DAMAGED', 'A byte is wrong.'));
    const { notReady, log } = warm(Promise.resolve(library));
    await expect.poll(notReady).toBeNull();
    expect(done).toEqual(['current', 'rebuild A byte is wrong.', 'current', 'readVectors']);
    expect(log).toEqual([]);
  });

  it('reports the reason when the library cannot be opened', async () => {
    const { notReady, log } = warm(Promise.reject(new Error('No model.')));
    await expect.poll(notReady).toBe('The index could not be opened; the log says why.');
    expect(log).toEqual(['The index could not be opened: No model.']);
  });
});
