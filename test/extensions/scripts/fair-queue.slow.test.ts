import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../extensions/scripts/fair-queue.ts';

/** Work that runs until the test ends it. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    },
    async end(name: string) {
      ends.get(name)?.();
      // The next turn begins when the promises have settled.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('FairQueue', () => {
  it('limits concurrent work, and begins waiting work as others end', async () => {
    const { begun, work, end } = works();
    const queue = new FairQueue(2, 9);
    const all = ['a', 'b', 'c'].map((name) => queue.run('ada', work(name)));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('b');
    await end('c');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
  });

  it('lets principals take turns, however much one has queued', async () => {
    const { begun, work, end } = works();
    const queue = new FairQueue(1, 99);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void queue.run('ada', work(name));
    for (const name of ['b1', 'b2']) void queue.run('bob', work(name));
    void queue.run('cleo', work('c1'));
    await settle();
    for (let at = 0; at < 7; at++) await end(begun[at] ?? '');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('refuses work where too many wait', async () => {
    const { work, end } = works();
    const queue = new FairQueue(1, 1);
    void queue.run('ada', work('a'));
    void queue.run('ada', work('b'));
    await settle();
    await expect(queue.run('bob', work('c'))).rejects.toMatchObject({ code: 'SCRIPTS_BUSY' });
    await end('a');
    void queue.run('bob', work('d'));
  });

  it('drops work that is cancelled while it waits', async () => {
    const { begun, work, end } = works();
    const queue = new FairQueue(1, 1);
    const cancel = new AbortController();
    void queue.run('ada', work('a'));
    const waiting = queue.run('ada', work('b'), cancel.signal);
    cancel.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'SCRIPT_CANCELLED' });
    void queue.run('ada', work('c'));
    await end('a');
    expect(begun).toEqual(['a', 'c']);
    await expect(queue.run('ada', work('d'), AbortSignal.abort())).rejects.toMatchObject({
      code: 'SCRIPT_CANCELLED',
    });
  });

  it('continues after work that fails', async () => {
    const queue = new FairQueue(1, 9);
    await expect(queue.run('ada', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await queue.run('ada', async () => 'next')).toBe('next');
  });
});
