/** Promise: a gateway that stops publishes the changes that it has seen, if that is soon, and gives the lease back while it ends. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { takePart } from '../../../extensions/postgres/gateway/election.ts';
import { MemoryState, MemoryStore } from './memory-store.ts';

const LINE = 'line';
const TTL_MS = 600_000;

afterEach(() => vi.restoreAllMocks());

function signalled<Value = void>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A gateway that has begun to write, and goes on until `end`. */
async function writing(changes: { seen: number; committed: number } | null) {
  const store = new MemoryStore(new MemoryState());
  const stopping = new AbortController();
  const [began, ended, released] = [signalled<AbortSignal>(), signalled(), signalled()];
  const errors: unknown[] = [];
  const looks = { count: 0 };
  const over = takePart(
    {
      store,
      line: LINE,
      holder: 'old',
      ttlMs: TTL_MS,
      retryMs: 1,
      changes() {
        looks.count += 1;
        return changes;
      },
      async write(_, signal) {
        began.resolve(signal);
        await ended.promise;
      },
      onError: (error) => errors.push(error),
      onReleased: released.resolve,
    },
    stopping.signal,
  );
  return {
    signal: await began.promise,
    looks,
    stop: () => stopping.abort(),
    released: released.promise,
    /** By another gateway. */
    take: () => store.acquire(LINE, 'new', TTL_MS),
    async end() {
      ended.resolve();
      await over;
      expect(errors).toEqual([]);
    },
  };
}

describe('a writer that stops', () => {
  it('leaves the lease to another one before its work has ended', async () => {
    const writer = await writing({ seen: 3, committed: 3 });
    expect(await writer.take()).toBeNull();
    writer.stop();
    await writer.released;
    expect(writer.signal.aborted).toBe(true);
    expect(await writer.take()).toMatchObject({ holder: 'new', fence: 2 });
    await writer.end();
  });

  it('writes until the changes that it has seen are published, not those that follow', async () => {
    const changes = { seen: 3, committed: 1 };
    const writer = await writing(changes);
    writer.stop();
    changes.seen = 9;
    changes.committed = 2;
    const before = writer.looks.count;
    await expect.poll(() => writer.looks.count).toBeGreaterThan(before + 1);
    expect(writer.signal.aborted).toBe(false);
    expect(await writer.take()).toBeNull();
    changes.committed = 3;
    await writer.released;
    expect(await writer.take()).toMatchObject({ holder: 'new' });
    await writer.end();
  });

  it('leaves changes that it cannot publish within 5 s to another one', async () => {
    const writer = await writing({ seen: 3, committed: 1 });
    const start = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(start);
    writer.stop();
    now.mockReturnValue(start + 4_999);
    const before = writer.looks.count;
    await expect.poll(() => writer.looks.count).toBeGreaterThan(before + 1);
    expect(writer.signal.aborted).toBe(false);
    now.mockReturnValue(start + 5_001);
    await writer.released;
    expect(await writer.take()).toMatchObject({ holder: 'new' });
    await writer.end();
  });

  it('gives the lease back at once where it cannot publish', async () => {
    const writer = await writing(null);
    writer.stop();
    await writer.released;
    await writer.end();
  });
});
